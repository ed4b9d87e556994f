// The two things that the page does: it changes between light and dark, and it shows a mark's figures when pointed at or tapped.
(() => {
  "use strict";
  const root = document.documentElement;
  const toggle = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => { toggle.textContent = isDark() ? "☀ Light" : "☾ Dark"; toggle.setAttribute("aria-pressed", String(isDark())); };
  try {
    const kept = localStorage.getItem("ocior-bench-theme");
    if (kept) root.dataset.theme = kept;
  } catch { /* a file opened where storage is refused */ }
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("ocior-bench-theme", root.dataset.theme); } catch { /* as above */ }
    label();
  });
  system.addEventListener("change", label);
  label();

  const tip = document.getElementById("tip");
  let shown = null;
  const hide = () => { if (shown) shown.classList.remove("on"); shown = null; tip.classList.remove("on"); };
  const show = (mark, x, y) => {
    if (mark !== shown) { hide(); shown = mark; mark.classList.add("on"); tip.textContent = mark.dataset.tip; }
    const box = tip.getBoundingClientRect();
    const width = root.clientWidth;
    tip.style.left = Math.max(8, Math.min(x + 12, width - box.width - 8)) + "px";
    tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18) + "px";
    tip.classList.add("on");
  };
  const under = (event) => (event.target.closest ? event.target.closest("[data-tip]") : null);
  addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const mark = under(event);
    if (mark) show(mark, event.clientX, event.clientY); else hide();
  });
  addEventListener("click", (event) => {
    const mark = under(event);
    if (mark) show(mark, event.clientX, event.clientY); else hide();
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("scroll", hide, { passive: true });

  // A link to a section inside a closed one opens it.
  const open = () => {
    const place = document.getElementById(location.hash.slice(1));
    if (place && place.tagName === "DETAILS") place.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
