#!/usr/bin/env bash
# Sets up what the named parts need: `setup.sh python`, `setup.sh python frontend`.
# Each step keeps a hash of its inputs in .stamps/ and is skipped while they are the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p .stamps

say() { printf '==> %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# hash FILE... : one hash over names and contents
hash() { sha256sum -- "$@" | sha256sum | cut -d' ' -f1; }

# step NAME HASH TITLE COMMAND... : run the command unless it was run with this hash before
step() {
    local stamp=".stamps/$1" wanted="$2" title="$3" began=$SECONDS
    shift 3
    if [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ]; then return; fi
    say "$title"
    rm -f "$stamp"
    "$@"
    printf '%s\n' "$wanted" >"$stamp"
    printf '    done in %d s\n' $((SECONDS - began))
}

find_python() {
    local candidate
    local -a candidates=(python3 python3.13 python3.12 python3.11 python3.14)
    if [ -n "${PYTHON:-}" ]; then candidates=("$PYTHON"); fi
    for candidate in "${candidates[@]}"; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            # Debian keeps these two in a package of their own.
            "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
                fail "$candidate cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv"
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed (tried: ${candidates[*]}). Name yours with PYTHON=/path/to/python3"
}

make_environment() {
    local python="$1"
    rm -rf .venv
    "$python" -m venv .venv
}

install_packages() {
    local pip=(.venv/bin/python -m pip --disable-pip-version-check) index
    # uv does not read pip's settings, where a mirror is usually named.
    index="${PIP_INDEX_URL:-$("${pip[@]}" config get global.index-url 2>/dev/null || true)}"
    if [ -n "$index" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"; fi
    # uv installs the locked set in seconds where pip takes minutes.
    if ! { "${pip[@]}" install --quiet uv &&
        .venv/bin/uv pip sync --python .venv/bin/python --require-hashes requirements.lock; }; then
        say "uv cannot be had; pip does the same, but takes some minutes"
        "${pip[@]}" install --require-hashes --requirement requirements.lock
    fi
    # Without isolation setuptools is the locked one.
    "${pip[@]}" install --quiet --no-deps --no-build-isolation --editable .
}

setup_python() {
    local python version
    python="$(find_python)"
    version="$("$python" -c 'import sys; print(sys.version, sys.executable)')"
    # The paths inside an environment are absolute: a moved clone needs a new one.
    if ! .venv/bin/python -c '' 2>/dev/null; then rm -f .stamps/environment .stamps/packages; fi
    step environment "$(printf '%s %s' "$version" "$PWD" | sha256sum | cut -d' ' -f1)" \
        "Python environment in .venv ($("$python" -V))" make_environment "$python"
    [ -x .venv/bin/vast ] || rm -f .stamps/packages
    step packages "$(hash requirements.lock pyproject.toml .stamps/environment)" \
        "Python packages (about 15 s the first time)" install_packages
}

check_node() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        fail "Node.js 20 or newer with npm is needed to build the console (https://nodejs.org)"
    fi
    node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
        fail "Node.js 20 or newer is needed to build the console; this is $(node -v)"
}

setup_frontend() {
    local -a sources
    check_node
    [ -d frontend/node_modules ] || rm -f .stamps/node-packages
    step node-packages "$({ cat frontend/package-lock.json; node -v; } | sha256sum | cut -d' ' -f1)" \
        "Console packages (about 40 s the first time)" \
        npm --prefix frontend ci --no-audit --no-fund
    # The console also takes the texts of the reasons from the server's catalogues.
    mapfile -d '' sources < <(
        find frontend vast/common -type f \( -path 'vast/*.json' -o -path 'frontend/*' \) \
            -not -path 'frontend/node_modules/*' -not -path 'frontend/dist/*' -not -path 'frontend/.vite/*' \
            -print0 | LC_ALL=C sort -z
    )
    [ -f frontend/dist/index.html ] || rm -f .stamps/console
    step console "$(hash .stamps/node-packages "${sources[@]}")" \
        "Console (about 15 s)" npm --prefix frontend run build
}

for part in "$@"; do
    case "$part" in
    python) setup_python ;;
    frontend) setup_frontend ;;
    *) fail "unknown part $part (python, frontend)" ;;
    esac
done
