# shellcheck shell=bash
# Shell functions shared by the tools: what they say, what they look for, what they install. Sourced by bash from the
# repository root.

exec </dev/null   # nothing here asks questions, and there may be no standard input at all

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
jobs_count() { echo "${JOBS:-$(nproc)}"; }

# Where things are kept that several runs and checkouts share: interpreters, roots of Debian. `rm -r` frees the room.
cache_dir() { printf '%s/ocior' "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}"; }

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# apt_install PACKAGE...: installs Debian packages where that is possible; its status says whether they are there now.
apt_install() {
    can_apt || return 1
    say "apt-get install $*"
    local log; log=$(mktemp)
    local install=(timeout -k 60 900 apt-get install -y -q --no-install-recommends "$@")   # a network that hangs is none
    export DEBIAN_FRONTEND=noninteractive
    if "${install[@]}" >"$log" 2>&1 || { timeout 300 apt-get update -q >"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1; }; then
        rm -f "$log"; return 0
    fi
    tail -n 15 "$log" >&2; rm -f "$log"
    return 1
}

# need PYTHON WHAT...: makes sure of everything named, in one step: `cxx`, a C++ compiler; `headers`, the interpreter's C
# headers; `venv`, its means to make virtual environments. What is missing is installed where that is possible, and else named
# together, with the packages that Debian has it in.
need() {
    local python=$1 what version lacks=() packages=(); shift
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    for what in "$@"; do
        has "$what" "$python" && continue
        lacks+=("$what")
        case $what in
            cxx) packages+=(g++) ;;
            headers) packages+=("python$version-dev") ;;
            venv) packages+=("python$version-venv") ;;
        esac
    done
    [ ${#lacks[@]} -gt 0 ] || return 0
    if is_debians "$python" || [ "${lacks[*]}" = cxx ]; then
        apt_install "${packages[@]}" && lacks_nothing "$python" "${lacks[@]}" && return 0
    else
        packages=()   # Debian's packages are of no use to an interpreter from elsewhere
    fi
    printf 'error: this machine lacks what it takes to build ocior:\n' >&2
    for what in "${lacks[@]}"; do
        case $what in
            cxx) printf '  - a C++ compiler: GCC 12 or newer, or clang 16 or newer (CXX=... chooses one)\n' ;;
            headers) printf '  - Python.h, the C headers of %s\n' "$python" ;;
            venv) printf '  - the venv module of %s with ensurepip, or virtualenv\n' "$python" ;;
        esac
    done >&2
    [ ${#packages[@]} -eq 0 ] || printf 'On Debian, as root:  apt-get install %s\n' "${packages[*]}" >&2
    [ "${lacks[*]}" = cxx ] || printf 'PYTHON=... chooses another interpreter.\n' >&2
    exit 1
}

lacks_nothing() {   # lacks_nothing PYTHON WHAT...
    local what python=$1; shift
    for what in "$@"; do has "$what" "$python" || return 1; done
}

has() {   # has WHAT PYTHON
    case $1 in
        cxx) command -v "${CXX:-c++}" >/dev/null || { [ -z "${CXX:-}" ] && { command -v g++ || command -v clang++; } >/dev/null; } ;;
        headers) [ -e "$("$2" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] ;;
        venv) "$2" -c 'import venv, ensurepip' 2>/dev/null || "$2" -c 'import venv, pip' 2>/dev/null || "$2" -c 'import virtualenv' 2>/dev/null ;;
    esac
}

# Whether an interpreter is one of Debian's packages, so that Debian's other packages go with it.
is_debians() { command -v dpkg >/dev/null && [ "$("$1" -c 'import sys; print(sys.prefix)')" = /usr ]; }

# real_python PYTHON: the interpreter itself, past the shims of version managers.
real_python() {
    command -v "$1" >/dev/null || die "no interpreter '$1'. Install Python 3.10 or newer, or choose one with PYTHON=..."
    "$1" -c 'import sys
def refuse(found): sys.exit("error: ocior needs CPython 3.10 or newer; %s is %s. Choose another with PYTHON=..." % (sys.executable, found))
if sys.implementation.name != "cpython": refuse(sys.implementation.name)
if sys.version_info < (3, 10): refuse(sys.version.split()[0])
print(sys.executable)'
}

# python_tag PYTHON: what tells builds for different interpreters apart, such as cpython-313-x86_64-linux-gnu.
python_tag() { "$1" -c 'import sys, sysconfig; print(sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag)'; }

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

# make_package DIR MODULE...: the package in DIR/ocior, with these extension modules and none of those that lie in the source tree.
make_package() {
    rm -rf "$1/ocior" && mkdir -p "$1" && cp -r python/ocior "$1/ocior" && rm -f "$1"/ocior/*.so && cp "${@:2}" "$1/ocior/"
}

# pip_in DIR ARGUMENTS...: pip of an environment, quiet but for errors.
pip_in() { "$1/bin/python" -m pip --disable-pip-version-check -q "${@:2}"; }

# install_ocior DIR [CMAKE OPTIONS...]: builds a wheel of ocior, incrementally, and installs it, into an environment that has
# scikit-build-core; the compiler's progress is shown, everything else is in the log. The wheel stays in build/wheel-DIR.
install_ocior() {
    local env=$1 name=${1##*/} log settings=() option
    local wheels=build/wheel-${name#.venv-}
    log=build/install-$name.log
    for option in "${@:2}"; do settings+=(-C "cmake.define.${option#-D}"); done
    rm -rf "$wheels" && mkdir -p build "$wheels"
    if CMAKE_BUILD_PARALLEL_LEVEL=$(jobs_count) "$env/bin/python" -m pip --disable-pip-version-check wheel -v --no-deps \
        --no-build-isolation --wheel-dir "$wheels" -C "build-dir=build/$name" "${settings[@]}" . 2>&1 | tee "$log" | show_ninja &&
        pip_in "$env" install --no-deps --force-reinstall "$wheels"/*.whl; then return 0; fi
    tail -n 60 "$log" >&2
    return 1
}

# install_engines DIR: installs what the extras `ray`, `dask` and `spark` of pyproject.toml name, and prints which of the three are there.
install_engines() {
    local engine found=() log
    log=$(mktemp)
    for engine in ray dask spark; do
        # Built here are none but pyspark, which is Python.
        if [ $engine = spark ] && ! command -v java >/dev/null && [ -z "${JAVA_HOME:-}" ] && ! apt_install default-jre-headless; then
            say "Spark is left out: it needs Java"
        elif pip_in "$1" install --prefer-binary --only-binary pyarrow,pandas,numpy,ray "ocior[$engine]" >"$log" 2>&1; then
            found+=("$engine")
        else
            say "$engine is left out: $(tail -n 1 "$log")"
        fi
    done
    rm -f "$log"
    printf '%s' "${found[*]}"
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
