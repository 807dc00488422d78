/* SPDX-License-Identifier: MIT */
/*
 * corpus_words.h - the words and snippets that corpus.c makes documents of.
 *
 * Words are in order of frequency: corpus.c draws them by Zipf's law. Snippets
 * likewise, the common ones first. In a snippet, '%' and a letter stands for
 * something drawn anew (the table directives[] in corpus.c), '~' is a space
 * that minifying removes and '\n' a line break with indentation that minifying
 * removes. Only corpus.c includes this file.
 */
#ifndef CPUPROF_WORKLOADS_CORPUS_WORDS_H
#define CPUPROF_WORKLOADS_CORPUS_WORDS_H

#include "src/base/mem.h"

#include <stddef.h>
#include <stdint.h>

/* The words before this one are "the", "of" and such. */
#define COMMON_NOUNS 90
static const char *const common_words[] = {
	"the", "of", "and", "to", "a", "in", "is", "for", "that", "on", "with", "as", "it",
	"by", "be", "this", "are", "or", "from", "you", "at", "not", "an", "can", "have",
	"was", "will", "your", "all", "which", "one", "more", "if", "has", "use", "we",
	"other", "their", "when", "about", "they", "its", "been", "new", "there", "time",
	"up", "may", "also", "out", "into", "any", "what", "page", "only", "some", "than",
	"first", "people", "do", "these", "no", "our", "but", "used", "two", "information",
	"each", "after", "through", "over", "between", "such", "most", "so", "like", "just",
	"how", "now", "work", "where", "many", "them", "would", "make", "who", "should",
	"then", "search", "free", "home", "data", "site", "name", "see", "help", "get",
	"year", "service", "system", "both", "view", "report", "because", "number", "users",
	"order", "email", "group", "well", "public", "great", "support", "same", "being",
	"while", "must", "company", "before", "need", "world", "music", "review", "day",
	"book", "read", "very", "price", "high", "list", "those", "part", "local", "product",
	"under", "state", "different", "long", "right", "office", "change", "good",
	"important", "set", "back", "own", "last", "find", "including", "line", "type",
	"city", "school", "might", "small", "large", "area", "still", "program", "history",
	"place", "does", "made", "during", "development", "another", "general", "business",
	"news", "result", "without", "government", "management", "form", "even", "every",
	"water", "country", "project", "around", "research", "community", "account", "life",
	"team", "possible", "level", "however", "given", "though", "case", "study", "within",
	"point", "power", "season", "control", "available", "national", "member", "market",
	"current", "several", "design", "problem", "question", "health", "version", "open",
	"family", "law", "process", "early", "often", "provide", "second", "until", "since",
	"example", "against", "method", "value", "article", "section", "end", "table", "web",
	"next", "following", "file", "add", "common", "source", "based", "human", "known",
	"event", "course", "model", "become", "language", "text", "image", "size", "main",
	"technology", "century", "single", "field", "short", "policy", "left", "social",
	"standard", "art", "class", "later", "link", "access", "special", "building",
	"required", "complete", "simple", "far", "station", "energy", "death", "land",
	"always", "create", "show", "really", "house", "once", "rate", "include", "response",
	"quality", "effect", "period", "river", "began", "industry", "original",
	"international", "university", "described", "certain", "content", "software",
	"network", "interest", "paper", "above", "military", "museum", "record", "science",
	"production", "present", "total", "force", "position", "society", "although",
	"almost", "structure", "natural", "growth", "economic", "material", "official",
	"player", "further", "according", "especially", "analysis", "either", "below",
	"particular", "movement", "theory", "increase", "similar", "culture", "education",
	"west", "south", "north", "east", "region", "provided", "modern", "film", "popular",
	"foreign", "private", "letter", "population", "election", "party", "village",
	"district", "church", "council", "army", "island", "road", "bridge", "railway",
	"album", "song", "band", "radio", "series", "television", "game", "league", "club",
	"cup", "final", "match", "goal", "score", "title", "champion", "coach", "stage",
	"direct", "central", "southern", "northern", "western", "eastern", "european",
	"american", "british", "french", "german", "chinese", "japanese", "royal", "ancient",
	"medieval", "classical", "industrial", "chemical", "physical", "political",
	"financial", "commercial", "agricultural", "environmental", "customer", "privacy",
	"cookie", "subscribe", "newsletter", "download", "upload", "password", "settings",
	"profile", "comment", "category", "archive", "calendar", "contact", "address",
	"delivery", "shipping", "payment", "discount", "warranty", "return", "basket",
	"checkout", "inventory", "supplier", "invoice", "manager", "director", "president",
	"minister", "secretary", "committee", "department", "agency", "institute", "college",
	"teacher", "student", "degree", "exam", "lesson", "patient", "doctor", "hospital",
	"treatment", "disease", "medicine", "surgery", "symptom", "virus", "vaccine",
	"protein", "cell", "gene", "species", "animal", "plant", "forest", "mountain",
	"desert", "ocean", "weather", "climate", "temperature", "storm", "winter", "summer",
	"spring", "autumn", "morning", "evening", "night", "weekend", "january", "february",
	"march", "april", "june", "july", "august", "september", "october", "november",
	"december", "monday", "friday", "sunday", "breakfast", "dinner", "kitchen", "recipe",
	"sugar", "butter", "cheese", "chicken", "pepper", "garlic", "onion", "tomato",
	"salad", "bread", "coffee", "wine", "beer", "restaurant", "hotel", "flight",
	"airport", "travel", "guide", "ticket", "gallery", "garden", "beach", "camera",
	"picture", "photo", "video", "screen", "monitor", "keyboard", "printer", "battery",
	"cable", "server", "client", "browser", "engine", "thread", "memory", "cache",
	"buffer", "kernel", "module", "package", "release", "branch", "commit", "merge",
	"issue", "patch", "deploy", "cluster", "container", "function", "variable",
	"argument", "pointer", "object", "string", "array", "queue", "stack", "tree", "graph",
	"node", "edge", "vertex", "matrix", "vector", "signal", "filter", "sample",
	"frequency", "voltage", "resistor", "circuit", "sensor", "motor", "wheel", "brake",
	"steering", "fuel", "vehicle", "truck", "train", "ship", "aircraft", "pilot",
	"captain", "soldier", "battle", "war", "peace", "treaty", "border", "trade", "export",
	"import", "tax", "budget", "debt", "bank", "loan", "credit", "fund", "stock", "share",
	"bond", "insurance", "pension", "salary", "wage", "union", "strike", "protest",
	"court", "judge", "lawyer", "crime", "police", "prison", "victim", "witness",
	"evidence", "trial", "verdict", "appeal", "constitution", "amendment", "parliament",
	"senate", "congress", "vote", "candidate", "campaign", "speech", "debate", "opinion",
	"survey", "percent", "average", "ratio", "estimate", "forecast", "trend", "decline",
	"recovery", "crisis", "risk", "threat", "security", "attack", "defense", "weapon",
	"missile", "nuclear", "reactor", "radiation", "laser", "telescope", "planet", "orbit",
	"satellite", "rocket", "astronaut", "gravity", "quantum", "particle", "atom",
	"molecule", "crystal", "metal", "copper", "silver", "iron", "steel", "glass",
	"plastic", "rubber", "cotton", "leather", "fabric", "fashion", "jewelry", "perfume",
	"novel", "poem", "author", "publisher", "editor", "chapter", "paragraph", "sentence",
	"grammar", "dictionary", "translation", "alphabet", "symbol", "myth", "legend",
	"hero", "castle", "temple", "priest", "bishop", "saint", "prayer", "festival",
	"ceremony", "wedding", "marriage", "child", "mother", "father", "brother", "sister",
	"daughter", "cousin", "neighbor", "friend", "stranger", "crowd",
};

static const char *const suffixes[] = {
	"s", "s", "s", "s", "ed", "ed", "ing", "ing", "er", "ly", "ers", "al", "ment",
	"able", "ness",
};

static const char *const syllables[] = {
	"ra", "lo", "ten", "mi", "sha", "ver", "con", "el", "no", "ri", "ka", "ster",
	"an", "ti", "bel", "mar", "ho", "do", "pre", "gen", "us", "la", "ver", "to",
	"qui", "on", "fe", "ber", "lin", "ja", "mo", "ne", "pol", "sy", "tra", "vi",
	"wes", "yor", "zu", "chi", "da", "ex", "fla", "gri", "hal", "im", "jo", "ken",
};

/* Members and methods every script has; they survive minifying. */
static const char *const script_members[] = {
	"length", "prototype", "push", "value", "call", "options", "data", "type",
	"apply", "node", "name", "style", "indexOf", "element", "target", "parentNode",
	"state", "props", "key", "className", "concat", "slice", "replace", "trigger",
	"addEventListener", "preventDefault", "setAttribute", "getAttribute",
	"appendChild", "removeChild", "querySelector", "classList", "innerHTML",
	"textContent", "toString", "hasOwnProperty", "constructor", "forEach", "filter",
	"map", "reduce", "join", "split", "test", "match", "exec", "width", "height",
	"offset", "position", "children", "context", "config", "default", "render",
	"update",
};

static const char *const js_statements[] = {
	"var %v~=~%E;", "%v.%o~=~%E;", "%/%v.%o(%E);", "return %E;",
	"if~(%v.%o)~{%B}", "if~(!%v)~{\n\treturn;\n}", "%v~=~%E;",
	"const %v~=~%E;", "this.%o~=~%E;", "let %v~=~%v.%o(%E);",
	"if~(%v~===~%S)~{%B}~else~{%B}", "function %v(%v,~%v)~{%B}",
	"%v.%o(function(%v)~{%B});", "%v.on(%S,~function(%v)~{%B});",
	"for~(var i~=~0;~i~<~%v.length;~i++)~{%B}",
	"%v.prototype.%o~=~function(%v)~{%B};",
	"if~(%v~&&~%v.%o~>~%n)~{%B}", "%v.addEventListener(%S,~%v);",
	"for~(var key in %v)~{\n\tif~(%v.hasOwnProperty(key))~{%B}\n}",
	"try~{%B}~catch~(e)~{%B}", "%v[%S]~=~%E;", "delete %v.%o;",
	"if~(typeof %v~===~\"function\")~{%B}", "%v.%o~+=~%n;",
	"switch~(%v.%o)~{\ncase %S:\n\treturn %E;\ndefault:\n\treturn null;\n}", "while~(%v--)~{%B}",
	"throw new Error(\"%p\");", "console.log(\"%p\",~%v);",
	"module.exports.%o~=~%v;", "setTimeout(function()~{%B},~%n0);",
	"async function %v(%v)~{\n\tconst %v~=~await fetch(\"/api/%w/\"~+~%v);%B}",
};

static const char *const js_expressions[] = {
	"%v", "%v.%o", "%S", "%v.%o(%v)", "%n", "this.%o", "%v.%o(%E)",
	"%v(%v,~%E)", "null", "true", "false", "[]", "{}", "%v~+~%E",
	"%v~||~%E", "%v~&&~%v.%o", "this.%o(%E)", "$(%S)", "\"%p\"",
	"%v~?~%E~:~%E", "{~%o:~%E,~%o:~%E~}", "function(%v)~{%B}",
	"%v[%v]", "[%E,~%E]", "new %v(%E)", "!%v.%o", "%v~-~%n", "%v~*~%f",
	"(%v)~=>~%E", "document.querySelector(\".%c\")", "Math.max(%v,~%E)",
	"%v~===~%E", "/^[a-z%w]+\\.%w$/", "typeof %v", "Object.keys(%v)",
	"\"#%x\"", "0x%h%h", "JSON.parse(%v)", "void 0",
};

static const char *const css_declarations[] = {
	"color:~#%x;", "margin:~%r;", "padding:~%r %r;", "display:~block;",
	"font-size:~%r;", "width:~%n%%;", "background-color:~#%x;",
	"position:~relative;", "border:~1px solid #%x;", "height:~%r;",
	"text-align:~center;", "float:~left;", "line-height:~1.%d;",
	"margin-top:~%r;", "font-weight:~bold;", "display:~inline-block;",
	"margin-bottom:~%r;", "padding-left:~%r;", "overflow:~hidden;",
	"text-decoration:~none;", "border-radius:~%r;", "position:~absolute;",
	"top:~%r;", "left:~%r;", "z-index:~%n;", "cursor:~pointer;",
	"background:~#%x;", "display:~none;", "min-width:~%r;", "opacity:~.%d;",
	"border-color:~#%x;", "max-width:~%n0px;", "vertical-align:~middle;",
	"display:~-ms-flexbox;\ndisplay:~flex;", "margin:~0 auto;",
	"box-shadow:~0 %dpx %dpx rgba(0,~0,~0,~.%d);", "white-space:~nowrap;",
	"-webkit-transition:~%c .%ds ease-in-out;\ntransition:~%c .%ds ease-in-out;",
	"background-image:~url(\"../img/%c.png\");", "right:~-%r;",
	"-webkit-box-sizing:~border-box;\nbox-sizing:~border-box;",
	"-webkit-transform:~translate(%n%%,~-%n%%);\ntransform:~translate(%n%%,~-%n%%);",
	"font-family:~\"Helvetica Neue\",~Helvetica,~Arial,~sans-serif;",
	"background:~linear-gradient(to bottom,~#%x 0%%,~#%x 100%%);",
	"text-transform:~uppercase;", "content:~\"\\f%n\";", "float:~right;",
	"animation:~%c %d.%ds infinite;", "flex:~%d %d auto;", "clear:~both;",
};

static const char *const css_selectors[] = {
	".%c", ".%c .%c", ".%c > .%c", ".%c:hover", ".%c-%c", ".%c a",
	".%c li", "#%c", ".%c.%c", ".%c::before", ".%c .%c:first-child",
	".%c:focus", "ul.%c", ".%c h%d", ".%c + .%c", "input[type=\"%c\"]",
	".%c:not(.%c)", "table.%c td", "%w", ".%c:nth-child(%n)",
};

static const char *const css_lengths[] = {
	"%npx", "0", "1%dpx", "%d.%dem", "%n%%", "auto", ".%drem",
};

static const char *const css_rules[] = {
	"%Q~{%>\n%7K%<\n}", "%Q,\n%Q~{%>\n%5K%<\n}", "%Q~{%>\n%3K%<\n}",
	"%Q,\n%Q,\n%Q~{%>\n%9K%<\n}",
};

static const char *const html_blocks[] = {
	"<div class=\"%C\">%B</div>", "<p>%P</p>",
	"<li class=\"%c\"><a class=\"%c\" href=\"/%c/%c/\">%p</a></li>",
	"<div class=\"col-md-4 card %c\" data-id=\"%N\">\n\t<a class=\"card-link\" href=\"/%c/%c/\">"
	"<img class=\"card-img-top\" src=\"/images/%c/%n.jpg\" alt=\"%p\" loading=\"lazy\"></a>\n"
	"\t<div class=\"card-body\">\n\t\t<h5 class=\"card-title\">%p</h5>\n"
	"\t\t<span class=\"price\">$%n.99</span>\n"
	"\t\t<a class=\"btn btn-primary btn-sm\" href=\"#\">Add to basket</a>\n\t</div>\n</div>",
	"<h2 class=\"%c\" id=\"%c\">%p</h2>", "<p class=\"%c\">%s</p>",
	"<a class=\"%C\" href=\"https://www.%c.com/%c/%n/\">%p</a>",
	"<section class=\"%C\">%B</section>",
	"<img class=\"%c\" src=\"/images/%w/%H.jpg\" alt=\"%p\" width=\"%n0\" height=\"%n0\">",
	"<span class=\"%c\">%p</span>", "<h3>%p</h3>",
	"<ul class=\"%C\">%B</ul>",
	"<article class=\"%C\" id=\"post-%N\">%B</article>",
	"<tr class=\"%c\"><td>%p</td><td class=\"%c\">%n.%n</td><td class=\"%c\">%N</td></tr>",
	"<button type=\"button\" class=\"%C\" data-id=\"%N\" data-target=\"#%c\">%^w</button>",
	"<div class=\"%c\" data-%w=\"%c\">%s</div>",
	"<blockquote><p>%s</p></blockquote>",
	"<label for=\"%c\">%^w %w</label>\n<input type=\"text\" class=\"%c\" id=\"%c\" name=\"%w\" value=\"\">",
	"<p>%s <a href=\"#%c\">%p</a> %s <strong>%w %w</strong>, %s</p>",
	"<time datetime=\"%t\">%n %w %n</time>",
	"<!-- %p -->\n<div class=\"%C\">%B</div>",
	"<option value=\"%n\">%^w %w</option>",
	"<pre><code class=\"%c\">%w.%w(%n, &quot;%w&quot;)</code></pre>",
	"<script>%J</script>", "<hr>",
	"<iframe src=\"https://player.%c.com/embed/%H?rel=0&amp;showinfo=0\" allowfullscreen></iframe>",
};

static const char *const svg_shapes[] = {
	"<path\n\tstyle=\"fill:#%x;fill-opacity:1;fill-rule:evenodd;stroke:#%x;stroke-width:%f;"
	"stroke-linecap:round;stroke-linejoin:miter;stroke-opacity:1\"\n"
	"\td=\"M %f,%f%D\"\n\tid=\"path%N\"/>",
	"<linearGradient\n\tid=\"linearGradient%N\"\n\tinkscape:collect=\"always\">\n"
	"\t<stop\n\t\tid=\"stop%N\"\n\t\toffset=\"0\"\n\t\tstyle=\"stop-color:#%x;stop-opacity:1;\"/>\n"
	"\t<stop\n\t\tid=\"stop%N\"\n\t\toffset=\"1\"\n\t\tstyle=\"stop-color:#%x;stop-opacity:0;\"/>\n"
	"</linearGradient>",
	"<g id=\"g%N\" transform=\"translate(%f,%f)\">%B</g>",
	"<path d=\"M%f,%f%D\" fill=\"#%x\"/>",
	"<rect x=\"%n\" y=\"%n\" width=\"%n\" height=\"%n\" rx=\"%d\" class=\"%c\"/>",
	"<radialGradient\n\tinkscape:collect=\"always\"\n\txlink:href=\"#linearGradient%N\"\n"
	"\tid=\"radialGradient%N\"\n\tgradientUnits=\"userSpaceOnUse\"\n"
	"\tgradientTransform=\"matrix(%f,0,0,%f,%f,%f)\"\n\tcx=\"%f\"\n\tcy=\"%f\"\n\tr=\"%n\"/>",
	"<circle cx=\"%f\" cy=\"%f\" r=\"%d.%d\" fill=\"#%x\" stroke=\"#%x\"/>",
	"<use xlink:href=\"#path%N\" x=\"%n\" y=\"%n\" width=\"1000\" height=\"1000\"/>",
	"<line x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\" stroke=\"#%x\"/>",
	"<text x=\"%n\" y=\"%n\" text-anchor=\"middle\" font-size=\"14.00\" fill=\"#%x\">%w</text>",
	"<polygon points=\"%f,%f %f,%f %f,%f %f,%f\" fill=\"#%x\"/>",
};

/* The values a record's fields can have. */
static const char *const json_values[] = {
	"%N", "\"%c\"", "%b", "\"%^w %w\"", "\"%t\"", "%n", "\"%p\"", "\"%u\"",
	"\"%s\"", "null", "%n.%n", "\"https://cdn.example.com/%c/%H.jpg\"",
	"[\n\t\"%c\",\n\t\"%c\"\n]", "\"%c\"", "%T",
	"{\n\t\"id\":~%N,\n\t\"type\":~\"%c\",\n\t\"href\":~\"/api/v2/%c/%N\"\n}",
	"\"%w.%w@example.org\"", "{\n\t\"lat\":~%n.%N,\n\t\"lng\":~-%n.%N\n}",
	"\"#%x\"", "[]",
};

static const char *const class_lists[] = { "%c", "%c %c", "%c %c %c" };
static const char *const strings[] = { "\"%c\"", "\"%w\"", "\"%p\"", "\"%w%^w\"" };
static const char *const large_numbers[] = { "%n%d%d%d", "%n%d%d", "%n%d%d%d%d%d" };
static const char *const hashes[] = { "%h%h%h%h%h%h%h%h%h%h%h%h" };
static const char *const uuids[] = {
	"%h%h%h%h%h%h%h%h-%h%h%h%h-4%h%h%h-a%h%h%h-%H",
};
/* The last digit of a year or a month. */
static const char *const years[] = { "9", "8", "7", "6", "4", "2" };
static const char *const times[] = { "201%y-0%y-1%dT1%d:4%d:2%dZ" };
static const char *const epochs[] = { "15%y%y%d%d%d%d%d%d000" };
static const char *const booleans[] = { "true", "false" };
static const char *const coordinates[] = { "%n.%d%d", "%n%d.%d", "%n", "%n.%d%d" };
static const char *const paragraphs[] = {
	"%s %s %s", "%s %s", "%s %s %s %s %s", "%s", "%s %s %s %s",
};
static const char *const odd_words[] = {
	"%^w", "%^w %^w", "%n", "(%w %w)", "%N", "\"%w\"", "%w-%w", "201%y", "%w's", "%w/%w",
};
static const char *const members[] = { "%m", "%V", "%m" };
static const char *const class_names[] = { "%z-%z", "%z", "%z-%z-%z", "%z_%z", "%l%l" };
static const char *const variables[] = { "%z%^z", "%z", "%z%^z%^z", "_%z", "%z%n", "%l%l" };
static const char *const colours[] = { "%h%h%h%h%h%h", "%h%h%h" };

/* Every kind has a head, many items and a tail. */
static const char html_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>%>\n<meta charset=\"utf-8\">\n"
	"<title>%p - %^w</title>\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"description\" content=\"%s\">\n"
	"<meta property=\"og:title\" content=\"%p\">\n"
	"<meta property=\"og:url\" content=\"https://www.%c.com/%w/%w\">\n"
	"<link rel=\"canonical\" href=\"https://www.%c.com/%w/%w\">\n"
	"<link rel=\"stylesheet\" href=\"/static/css/%c.min.css?v=%H\">\n"
	"<link rel=\"stylesheet\" href=\"/static/css/%c.css?v=%H\">\n"
	"<script src=\"/static/js/%c.min.js?v=%H\"></script>\n"
	"<script>%J</script>%<\n</head>\n<body class=\"%C\">\n<header class=\"%c\">\n"
	"<nav class=\"%C\">\n<ul>%>\n%9A%<\n</ul>\n</nav>\n</header>\n<main>%>\n";
static const char html_tail[] =
	"%<\n</main>\n<footer class=\"%c\">\n<ul>%>\n%9A%<\n</ul>\n"
	"<p>&copy; 201%y %^w %^w. %s</p>\n</footer>\n</body>\n</html>\n";
static const char *const nav_items[] = {
	"<li class=\"nav-item\"><a class=\"nav-link\" href=\"/%z/%z\">%^w</a></li>",
};

static const char css_head[] = "/*! %w-%w v%d.%d.%d | MIT License */\n";
static const char *const css_items[] = {
	"%R", "%/%R", "@media (min-width:~%n0px)~{%B}",
};

static const char js_head[] =
	"/*!\n * %w.%w.js v%d.%d.%d\n * (c) 201%y %^w %^w\n */\n"
	"(function(window,~document)~{%>\n\"use strict\";\n";
static const char js_tail[] = "%<\n})(window,~document);\n";

static const char json_head[] =
	"{%>\n\"status\":~\"ok\",\n\"total\":~%N,\n\"updated_at\":~\"%t\",\n\"data\":~[%>\n";
static const char json_tail[] = "%<\n]%<\n}\n";
static const char *const json_items[] = { "%$" };

static const char svg_head[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
	"<svg\n\txmlns=\"http://www.w3.org/2000/svg\"\n"
	"\txmlns:xlink=\"http://www.w3.org/1999/xlink\"\n"
	"\twidth=\"%n0\"\n\theight=\"%n0\"\n\tviewBox=\"0 0 %n0 %n0\"\n\tid=\"svg%N\">\n"
	"\t<title>%p</title>\n\t<style>.%c{fill:#%x}.%c{fill:#%x;stroke:#%x}</style>%>\n";
static const char svg_tail[] = "%<\n</svg>\n";
static const char *const svg_segments[] = {
	"c%f,-%f,%f,%f,%f,%f%D", "z", "l-%f,%f%D", "h%f%D", "L%f,%f%D", "v%f%D",
};

static const char txt_head[] = "%p\n====================\n\n";
static const char *const txt_blocks[] = {
	"%P", "%P\n\n%P", "  * %s\n  * %s\n  * %s", "%d.%d %p\n--------------------",
	"    %w-%w --%w=%N %w.%w", "    %^w %w: %n %w",
};

enum layout {
	PRETTY,		/* lines and indentation */
	FLAT,		/* lines, no indentation */
	MINIFIED,	/* neither, and short variables */
};

struct snippets {
	const char *const *v;
	size_t n;
};
#define SNIPPETS(list) { (list), ARRAY_SIZE(list) }

struct kind {
	const char *name;
	const char *head, *tail;
	struct snippets items;	/* in the document, and what %B nests */
	const char *leaf;	/* what %B holds at the deepest level */
	const char *comma;	/* between items */
	enum layout dense;	/* the layout of those that are not pretty, */
	unsigned n_dense;	/* this many of 8, and more of the large ones */
	unsigned size_log2;	/* sizes are up to DOC_MIN * 2 << this */
};

enum { HTML, CSS, JS, JSON, SVG, TXT };
static const struct kind kinds[] = {
	[HTML] = { "html", html_head, html_tail, SNIPPETS(html_blocks), "%p", "\n", FLAT, 3, 6 },
	[CSS] = { "css", css_head, "\n", SNIPPETS(css_items), "%R", "\n", MINIFIED, 3, 6 },
	[JS] = { "js", js_head, js_tail, SNIPPETS(js_statements), "return %v;", "\n", MINIFIED, 3, 7 },
	[JSON] = { "json", json_head, json_tail, SNIPPETS(json_items), "", ",\n", MINIFIED, 2, 6 },
	[SVG] = { "svg", svg_head, svg_tail, SNIPPETS(svg_shapes), "%p", "\n", FLAT, 3, 5 },
	[TXT] = { "txt", txt_head, "\n", SNIPPETS(txt_blocks), "", "\n\n", PRETTY, 0, 5 },
};
/* What pages load, over and over: nearly half of the bytes are scripts. */
static const uint8_t page[] = {
	HTML, CSS, JS, JS, SVG, JSON, HTML, JS, CSS, JSON, TXT, HTML, JS, SVG,
};

#endif
