#!/bin/sh
# pages.sh - README.md has at most 200 lines; links of the README files, of
# CONTRIBUTING.md, DECISIONS.md, THEORY.md and FAQ.md lead somewhere, and files that they name are
# there; the folders' own pages are there; nothing but a template has a placeholder: a
# word between two signs of "at"
# SPDX-License-Identifier: MIT
set -eu
cd "${SOURCE:-.}"
bad=0
lines=$(wc -l <README.md)
if [ "$lines" -gt 200 ]; then
  echo "README.md has $lines lines, wanted at most 200"
  bad=1
fi
for page in io src src/solvers mpi jobs tests tests/bench; do
  if ! [ -s "$page/README.md" ] || ! grep -q "($page/README.md)" README.md; then
    echo "$page/README.md: not there, or not named in README.md"
    bad=1
  fi
done

# there PAGE NAME: a file, from the project's folder, the page's or one in which the
# page has named files before
there()
{
  case $2 in
  */*) [ -e "$2" ] || [ -e "$(dirname "$1")/$2" ] ;;
  *) [ -n "$(find README.md src io mpi jobs tests -name "$2" | head -n 1)" ] ;;
  esac
}

checked=0
for page in CONTRIBUTING.md src/DECISIONS.md src/solvers/THEORY.md src/cli/FAQ.md \
  $(find README.md src io mpi jobs tests -name README.md | sort); do
  for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^http'); do
    checked=$((checked + 1))
    if ! [ -e "$(dirname "$page")/$link" ]; then
      echo "$page: the link $link leads nowhere"
      bad=1
    fi
  done
  for file in $(grep -oE '`[a-zA-Z_0-9/.]+[.](c|h|sh|py|gp|sbatch)`' "$page" |
    tr -d '`' | grep -v 'toy[.]c$' | sort -u); do # toys are still to be added
    checked=$((checked + 1))
    if ! there "$page" "$file"; then
      echo "$page: no file $file"
      bad=1
    fi
  done
done
# shellcheck disable=SC2038 # names of ours have no blanks
if find . -name .git -prune -o -path ./build -prune -o -type f ! -name '*.in' -print |
  xargs grep -InE '@[A-Z][A-Z_0-9]*@'; then
  echo "placeholders without what belongs there"
  bad=1
fi
echo "$checked links and files"
[ "$checked" -ge 50 ] || bad=1
exit "$bad"
