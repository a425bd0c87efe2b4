#!/usr/bin/env bash
# The API's schema and the console's types made from it: `schema.sh write` renews both files, `schema.sh check`
# fails when they are not what the code says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

schema=docs/openapi.yaml
types=frontend/src/api/schema.ts
made="$(mktemp -d)"
trap 'rm -rf "$made"' EXIT

.venv/bin/python -m vast manage spectacular --file "$made/openapi.yaml" --validate --fail-on-warn
frontend/node_modules/.bin/openapi-typescript "$made/openapi.yaml" --output "$made/schema.ts" >/dev/null

case "${1:-}" in
write)
    cp "$made/openapi.yaml" "$schema"
    cp "$made/schema.ts" "$types"
    ;;
check)
    for pair in "openapi.yaml $schema" "schema.ts $types"; do
        read -r new kept <<<"$pair"
        if ! diff -u "$kept" "$made/$new" | head -40; then
            echo "error: $kept is not what the code says; run: make schema" >&2
            exit 1
        fi
    done
    ;;
*)
    echo "usage: schema.sh write|check" >&2
    exit 2
    ;;
esac
