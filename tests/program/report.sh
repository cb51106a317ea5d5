#!/usr/bin/env bash
# report.sh - the page of a run of each family: well-formed, self-contained, a sentence under
# each picture, names of others escaped; in Chromium, where it is installed, without a word on
# its console; what is cut off is read, what is damaged is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# names that a page must not take for its own
"$PYTHON" - <<'END'
import random
random.seed(3)
names = ["<script>document.title='owned'</script>", 'a "quoted" \'name\'', "{braces} & &amp;",
         "\N{ELEPHANT} gr\u00f6\u00dfe", "\u65e5\u672c\u8a9e", "x" * 90, "</title></svg><b>"]
names += ["gene%d" % k for k in range(13)]
with open("t.csv", "w", encoding="utf-8") as f:
    f.write(",".join('"%s"' % n.replace('"', '""') for n in names) + ",y\n")
    for i in range(400):
        x = [random.gauss(0, 1) for _ in names]
        y = sum((8 - k) * v for k, v in enumerate(x[:8])) + random.gauss(0, 1)
        f.write(",".join("%.4f" % v for v in x) + ",%.4f\n" % y)
END
must 0 import t.csv -o t.h5 --target y
must 0 generate murata -o g.h5 --examples 600 --attributes 40 --support 4 --seed 2
solvers="sift exploration exploitation lasso os-prox-sgd ridge omp oomp aerr ssr"
options()
{
  case $1 in
  sift) echo "--budget 10" ;;
  exploration) echo "--budget 10 -s 4" ;;
  exploitation) echo "--budget 10 -s 4 --start 0,1,2" ;;
  lasso | ridge) ;;
  omp) echo "-s 5" ;;
  oomp) echo "-s 3" ;;
  ssr) echo "--budget 10 -s 4" ;;
  os-prox-sgd) echo "--lambda-ratio 0.05 --epochs 6" ;;
  aerr) echo "--budget 8" ;;
  esac
}
for solver in $solvers; do
  data=t.h5 n=0
  case $solver in oomp | exploitation) data=g.h5 ;; sift) n=3 ;; esac
  # shellcheck disable=SC2046
  must $n train $data -o $solver.h5 --solver $solver $(options $solver) \
    --telemetry $solver.jsonl --report $solver.json || continue
  must 0 report $solver.h5 $solver.jsonl $solver.json -o $solver.html
done
evil="e<img src=x onerror=alert(1)>&\"'"
cp sift.h5 "$evil.h5"
cp sift.jsonl "$evil.jsonl"
must 0 report "$evil.h5" "$evil.jsonl" lasso.jsonl lasso.h5 exploration.jsonl oomp.json -o many.html
# one of each kind alone, and by way of the standard output
for file in sift.h5 sift.jsonl sift.json; do
  must 0 report $file -o - && cp must.out alone.$file.html
done
must 0 report sift.h5 -o sift2.html
cmp sift2.html alone.sift.h5.html || fail "another page on the standard output"

cat >check.py <<'PYTHON'
import html.parser, re, sys
VOID = {"meta", "link", "br", "hr", "img", "input"}
class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.open, self.tags, self.text, self.figures, self.titles = path, [], [], "", [], 0
        self.ids = set()
    def bad(self, what):
        sys.exit("%s:%d: %s" % (self.path, self.getpos()[0], what))
    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action"):
                self.bad("attribute %s" % name)
            if name == "href" and not value.startswith(("#", "data:,")):
                self.bad("a link to %s" % value)
            if name == "id":
                self.ids.add(value)
            if value and re.search(r"\b(nan|inf)\b", value, re.I) and name != "aria-label":
                self.bad("%s=%s" % (name, value))
            if name == "d" and not re.fullmatch(r"[MLHVv0-9. -]+", value):
                self.bad("a path %s" % value[:80])
        if tag == "figure":
            self.figures.append({"svg": 0, "said": ""})
        if tag == "svg":
            if "figure" not in self.open:
                self.bad("a picture without a figure")
            self.figures[-1]["svg"] += 1
        if tag not in VOID:
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)
    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.bad("</%s> in %s" % (tag, self.open))
        self.open.pop()
    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data
        if "figcaption" in self.open:
            self.figures[-1]["said"] += data
def check(path):
    text = open(path, encoding="utf-8").read()
    page = Page(path)
    page.feed(text)
    page.close()
    if page.open:
        page.bad("not closed: %s" % page.open)
    if set(page.tags) & {"script", "img", "b", "iframe", "object"} - ({"b"} if path.startswith("many") else set()):
        page.bad("tags %s" % sorted(set(page.tags)))
    if re.search(r"https?://|@import|url\(", text):
        page.bad("asks for something else")
    if re.search(r"\bnan\b|\binf\b", page.text, re.I):
        page.bad("a number that is none: %r" % re.search(r".{0,40}\b(nan|inf)\b.{0,40}", page.text, re.I | re.S)[0])
    for figure in page.figures:
        if figure["svg"] != 1 or len(figure["said"].split()) < 6 or not figure["said"].strip().endswith("."):
            page.bad("a picture without a sentence: %s" % figure)
    if len(text) > 1 << 20:
        page.bad("%d bytes" % len(text))
    return page
wanted = {"sift": {"learnt", "candidates", "curves", "phases", "ledger", "settings"},
          "lasso": {"learnt", "curves", "path", "phases", "ledger", "settings"}}
for path in sys.argv[1:]:
    page = check(path)
    missing = wanted.get(path.split(".")[0], {"learnt", "phases", "ledger", "settings"}) - page.ids
    if path.startswith(("alone", "many")) or path == "sift2.html":
        missing = set()
    if missing or not page.figures:
        sys.exit("%s lacks %s, has %d pictures" % (path, missing, len(page.figures)))
many = check("many.html").text
for name in ("e<img src=x onerror=alert(1)>&\"'", "<script>document.title='owned'</script>",
             'a "quoted" \'name\'', "{braces} & &amp;", "\N{ELEPHANT} gr\u00f6\u00dfe", "\u65e5\u672c\u8a9e"):
    if name not in many:
        sys.exit("many.html lacks %r" % name)
if "4 runs" not in many:
    sys.exit("files of one run were not put together: %r" % many[:200])
PYTHON
"$PYTHON" check.py ./*.html 2>&1 | sed 's/^/check: /' >checked || true
"$PYTHON" check.py [!.]*.html || fail "pages: $(cat checked)"

# --- numbers are those of the files
"$THRESHER" export sift.h5 >sift.tsv
"$PYTHON" - <<'END' || fail "the table of coefficients"
import re, sys
rows = [line.rstrip("\n").split("\t") for line in open("sift.tsv", encoding="utf-8")][1:]
coefs = sorted((abs(float(r[2])), "%.4g" % float(r[2])) for r in rows if r[0] != "(intercept)")
text = open("sift.html", encoding="utf-8").read()
body = text[text.index('id="learnt"'):]
body = body[body.index("<tbody>"):body.index("</tbody>")]
found = re.findall(r"<td>\d+</td><td>([^<]+)</td>", body)
sys.exit(found != [c for _, c in reversed(coefs)][:25])
END

# --- a telemetry that was cut off
head -c -7 sift.jsonl >torn.jsonl
must 0 report torn.jsonl -o torn.html
grep -q 'torn.jsonl was cut off' torn.html || fail "the cut is not said"
cp torn.jsonl .torn.jsonl.partial
must 0 report .torn.jsonl.partial -o partial.html
grep -q '<h1>Run torn</h1>' partial.html || fail "the name of a run that is being written"

# --- what is refused
printf '{"update":1,"loss":1}\n{"update":2,"lo\n{"update":3}\n' >middle.jsonl
printf '{"update":1' >first.jsonl
printf '{"a":1}\n' >other.json
: >empty.jsonl
head -c 3000 sift.h5 >cut.h5
head -c 300 sift.json >cut.json
refused 1 'middle.jsonl:2: not a line of a telemetry' 0 report middle.jsonl -o no.html
refused 1 'first.jsonl: the telemetry has no whole line' 0 report first.jsonl -o no.html
for file in other.json empty.jsonl cut.json t.csv; do
  refused 1 "$file: neither a model, nor a telemetry, nor a report" 0 report sift.h5 $file -o no.html
done
refused 1 'g.h5: a data set' 0 report g.h5 -o no.html
refused 1 'absent.h5' 0 report absent.h5 -o no.html
refused 1 'cut.h5' 2 report cut.h5 -o no.html
refused 1 'sift.html exists; give --force' 0 report sift.h5 -o sift.html
refused 2 'is an input as well' 0 report sift.h5 sift.jsonl -o sift.jsonl --force
refused 2 '-o FILE is missing' 0 report sift.h5

# --- a long model: as many rows as bars, the rest to be opened
must 0 generate murata -o l.h5 --examples 2000 --attributes 80 --support 60 --seed 2
must 0 train l.h5 -o long.h5 --solver ridge
must 0 report long.h5 -o alone.long.html
"$PYTHON" check.py alone.long.html || fail "the page of a long model"
"$PYTHON" - <<'END' || fail "the table of a long model"
import re, sys
text = open("alone.long.html", encoding="utf-8").read()
learnt = text[text.index('id="learnt"'):].split("</section>")[0]
rows = [body.count("<tr>") for body in re.findall("<tbody>(.*?)</tbody>", learnt, re.S)]
more = re.search(r"<details>\s*<summary>35 more</summary>", learnt)
sys.exit("rows %s, %s" % (rows, more) if rows != [25, 35] or not more else 0)
END
must 0 train l.h5 -o long2.h5 --solver ridge --lambda-ratio 0.1
must 0 report long.h5 long2.h5 -o many.long.html
"$PYTHON" check.py many.long.html || fail "the page of two long models"
[ "$(grep -c '<summary>35 more</summary>' many.long.html)" -ge 1 ] || fail "the table of two long models"

# --- in a browser: what can be clicked does what it says, nothing on the console, a picture that has something in it
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
  finish
  echo "no Chromium: the pages were not opened"
  exit 77
fi
mkdir home
# look PAGE WIDTH: a screenshot; what stands on the console is in console
look()
{
  printf '<body style="margin:0"><iframe src="%s.html" style="border:0;width:%dpx;height:3000px">' \
    "$1" "$2" >frame.html
  HOME=$PWD/home LD_PRELOAD='' timeout -k 5 "$LIMIT" "$browser" --headless --no-sandbox \
    --disable-gpu --hide-scrollbars --enable-logging=stderr --user-data-dir="$PWD/home/data" \
    --window-size="$2",3000 --screenshot="$PWD/$1.png" "file://$PWD/frame.html" \
    >/dev/null 2>browser.err || fail "Chromium: $(tail -n 3 browser.err)"
  grep -a CONSOLE browser.err >console || true
}
echo '<script>console.error("heard")</script>' >loud.html
look loud 500
grep -q heard console || fail "the console is not heard: $(cat browser.err)"
# clicks PAGE: opens and closes what can be, follows the links; how many there were
clicks()
{
  cat >click.html <<END
<iframe id="f" src="$1.html" style="width:900px;height:900px"></iframe>
<script>
document.getElementById("f").onload = () => {
  const page = document.getElementById("f").contentDocument;
  let clicked = 0;
  for (const summary of page.querySelectorAll("summary")) {
    const details = summary.parentElement, open = details.open, high = details.offsetHeight;
    summary.click();
    if (details.open === open || details.offsetHeight > high === open)
      console.error("does not turn: " + summary.textContent);
    clicked++;
  }
  for (const link of page.querySelectorAll('a[href^="#"]')) {
    link.click();
    if (!page.querySelector(link.getAttribute("href"))) console.error("leads nowhere: " + link.href);
    clicked++;
  }
  console.log("clicked " + clicked + ".");
};
</script>
END
  HOME=$PWD/home LD_PRELOAD='' timeout -k 5 "$LIMIT" "$browser" --headless --no-sandbox \
    --disable-gpu --allow-file-access-from-files --enable-logging=stderr \
    --user-data-dir="$PWD/home/data" --virtual-time-budget=3000 --screenshot="$PWD/clicked.png" \
    "file://$PWD/click.html" >/dev/null 2>browser.err || fail "Chromium: $(tail -n 3 browser.err)"
  grep -a CONSOLE browser.err >console || true
  compare "lines on the console of $1" "$(wc -l <console)" == 1
  grep -q "clicked $2[.]" console || fail "$1: $(cat console)"
}
clicks alone.long '[1-9][0-9]*'
clicks many.long '[1-9][0-9]*'
for page in many:1200 lasso:400; do
  look "${page%:*}" "${page#*:}"
  [ ! -s console ] || fail "${page%:*}: words on the console: $(cat console)"
  is_picture "${page%:*}.png"
  # an empty page is a tenth of that
  compare "bytes of ${page%:*}.png" "$(stat -c %s "${page%:*}.png")" '>' 60000
done
finish
