#!/usr/bin/env bash
# Makes sure that there is a browser for the browser tests, with a font for Chinese.
set -euo pipefail

have_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
have_font() { fc-list :lang=zh family 2>/dev/null | grep -q .; }

if have_browser >/dev/null && have_font; then exit 0; fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "==> Browser and fonts for the browser tests (about 30 s)"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium fontconfig fonts-noto-cjk >/dev/null
    exit 0
fi

echo "error: the browser tests need Chromium and a font for Chinese. On Debian and Ubuntu, as root:" >&2
echo "    apt-get install chromium fontconfig fonts-noto-cjk" >&2
exit 1
