# Shell functions shared by the tools: what they say, what they look for, what they install. Sourced by bash from the
# repository root.

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
jobs_count() { echo "${JOBS:-$(nproc)}"; }

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# apt_install PACKAGE...: installs Debian packages where that is possible; its status says whether they are there now.
apt_install() {
    can_apt || return 1
    say "apt-get install $*"
    local log; log=$(mktemp)
    local install=(apt-get install -y -q --no-install-recommends "$@")
    export DEBIAN_FRONTEND=noninteractive
    if "${install[@]}" >"$log" 2>&1 || { apt-get update -q >"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1; }; then
        rm -f "$log"; return 0
    fi
    tail -n 15 "$log" >&2; rm -f "$log"
    return 1
}

# Finds or installs a C++ compiler.
need_cxx() {
    command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
        apt_install g++ || die "no C++ compiler. Install g++ 12 or newer, or clang 16 or newer."
}

# real_python PYTHON: the interpreter itself, past the shims of version managers.
real_python() {
    command -v "$1" >/dev/null || die "no interpreter '$1'. Install Python 3.10 or newer, or choose one with PYTHON=..."
    "$1" -c 'import sys
if sys.version_info < (3, 10): sys.exit("error: ocior needs Python 3.10 or newer; %s is %s. Choose another with PYTHON=..." % (sys.executable, sys.version.split()[0]))
print(sys.executable)'
}

# python_tag PYTHON: what tells builds for different interpreters apart, such as cpython-313-x86_64-linux-gnu.
python_tag() { "$1" -c 'import sys, sysconfig; print(sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag)'; }

# need_headers PYTHON: the interpreter's C headers.
need_headers() {
    local include version
    include=$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    [ -e "$include/Python.h" ] && return 0
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    apt_install "python$version-dev" && [ -e "$include/Python.h" ] && return 0
    die "$1 has no Python.h in $include. Install its development package (Debian: python$version-dev), or choose another interpreter with PYTHON=..."
}

# make_venv PYTHON DIR: a virtual environment with pip, also where the system's Python lacks ensurepip. One that is
# there is kept if it belongs to the same interpreter.
make_venv() {
    local same='import sys; print(sys.base_prefix, sys.version)'
    if [ -x "$2/bin/python" ] && [ "$("$2/bin/python" -c "$same")" = "$("$1" -c "$same")" ] &&
        "$2/bin/python" -m pip --version >/dev/null 2>&1; then return 0; fi
    rm -rf "$2"
    "$1" -m venv "$2" >/dev/null 2>&1 && return 0
    rm -rf "$2"
    if apt_install python3-venv && "$1" -m venv "$2" >/dev/null 2>&1; then return 0; fi
    rm -rf "$2"
    if "$1" -m venv --without-pip "$2" >/dev/null 2>&1 &&
        "$1" -m pip --python "$2/bin/python" install -q pip >/dev/null 2>&1; then return 0; fi
    rm -rf "$2"
    "$1" -m virtualenv -q "$2" >/dev/null 2>&1 && return 0
    die "$1 cannot make a virtual environment. Install its venv module (Debian: python3-venv) or virtualenv."
}

# Sets CMAKE, CTEST and NINJA: the machine's if new enough, else those of an environment of our own, .venv-tools.
need_cmake() {
    NINJA=$(command -v ninja || true) CMAKE=$(command -v cmake || true) CTEST=$(command -v ctest || true)
    if [ -n "$CMAKE" ] && [ -n "$CTEST" ] && [ -n "$NINJA" ] &&
        "$CMAKE" --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || v[2] >= 25) }'; then return 0; fi
    if [ ! -x .venv-tools/bin/cmake ] || [ ! -x .venv-tools/bin/ninja ]; then
        say "cmake and ninja into .venv-tools"
        make_venv "$(real_python "${1:-python3}")" .venv-tools
        .venv-tools/bin/python -m pip install -q --disable-pip-version-check cmake ninja
    fi
    CMAKE=$PWD/.venv-tools/bin/cmake CTEST=$PWD/.venv-tools/bin/ctest NINJA=$PWD/.venv-tools/bin/ninja
}

# pip_in DIR ARGUMENTS...: pip of an environment, quiet but for errors.
pip_in() { "$1/bin/python" -m pip --disable-pip-version-check -q "${@:2}"; }

# install_ocior DIR [CMAKE OPTIONS...]: builds ocior as a wheel would be, incrementally, into an environment that has
# scikit-build-core; the compiler's progress is shown, everything else is in the log.
install_ocior() {
    local env=$1 log="build/install-$(basename "$1").log" settings=() option
    for option in "${@:2}"; do settings+=(-C "cmake.define.${option#-D}"); done
    mkdir -p build
    if CMAKE_BUILD_PARALLEL_LEVEL=$(jobs_count) "$env/bin/python" -m pip --disable-pip-version-check install -v --no-deps \
        --no-build-isolation --force-reinstall -C "build-dir=build/$(basename "$env")" "${settings[@]}" . 2>&1 |
        tee "$log" | show_ninja; then return 0; fi
    tail -n 60 "$log" >&2
    return 1
}

# From a build's output, the counter that ninja prints: one moving line on a terminal, every tenth step in a log.
show_ninja() {
    local line end='\n' every=10 shown=
    [ -t 2 ] && end='\r' every=1
    while IFS= read -r line; do
        if [[ $line =~ \[([0-9]+)/([0-9]+)\]\ (Building|Linking) ]]; then
            if ((BASH_REMATCH[1] % every == 0 || BASH_REMATCH[1] == BASH_REMATCH[2])); then
                printf "    compiling %s/%s$end" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2; shown=1
            fi
        fi
    done
    [ -z "$shown" ] || [ "$end" = '\n' ] || printf '\n' >&2
}
