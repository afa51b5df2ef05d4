/** @file The style of the page: one column, quiet colours that can be distinguished on light and on dark, nothing loaded from elsewhere. */

export const style = `
:root{color-scheme:light dark;--paper:#fdfcfa;--card:#fff;--ink:#23211e;--soft:#6b665f;--rule:#e4dfd7;--shade:#f1ede6;--accent:#8a3b12;--good:#1d7a4f;--bad:#b3261e;
--c0:#0b62a4;--c1:#b5530d;--c2:#2e7d32;--c3:#8e3a9d;--c4:#0e7c86;--c5:#a3174a;--cn:#857f76}
@media (prefers-color-scheme:dark){:root{--paper:#171614;--card:#201e1b;--ink:#ece7df;--soft:#a39c91;--rule:#37332d;--shade:#26231f;--accent:#f0a070;--good:#6fd3a2;--bad:#ff8a80;
--c0:#6fb6f2;--c1:#f3a15f;--c2:#86cf8a;--c3:#d99ae6;--c4:#5fd0da;--c5:#f48fb1;--cn:#8d867b}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 ui-serif,Georgia,"Times New Roman",serif}
main,header,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:3rem}
h1{font-size:2.1rem;line-height:1.15;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.35rem;margin:3rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--rule)}
h3{font-size:1.02rem;margin:1.5rem 0 .5rem}
p{margin:.5rem 0}
.soft,caption,.tick{color:var(--soft)}
nav,table,svg,.facts,.badge,summary,pre,code,.from{font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin-top:1.25rem;font-size:.9rem}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:1.25rem 0 0;padding:0;list-style:none;font-size:.9rem;color:var(--soft)}
.facts b{display:block;font-size:1.35rem;font-weight:600;color:var(--ink)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding-bottom:.4rem;font-size:.85rem}
th,td{padding:.42rem .6rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
th{font-weight:600;color:var(--soft);vertical-align:bottom}
th:first-child,td:first-child{text-align:left;padding-left:0}
tbody th{color:var(--ink);vertical-align:middle}
td.text,th.text{text-align:left}
td.loose{white-space:normal;overflow-wrap:anywhere}
tr:target{background:var(--shade)}
.badge{display:inline-block;font-size:.72rem;padding:.05rem .45rem;border:1px solid var(--rule);border-radius:1rem;color:var(--soft);margin-left:.4rem}
td small{display:block;font-size:.78rem;color:var(--soft)}
.up{color:var(--good)}.down{color:var(--bad)}
svg{display:block;width:100%;height:auto;margin:.75rem 0}
.spread svg{max-width:22rem}
svg text{font-size:13px;fill:var(--ink)}
svg .tick{font-size:12px;fill:var(--soft)}
svg .grid{stroke:var(--rule);stroke-width:1}
svg .floor{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 4}
svg .below{fill:var(--shade)}
svg .bar{stroke:currentColor;stroke-width:4;stroke-linecap:round;opacity:.45}
svg circle,svg g>rect{fill:currentColor}
svg .curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
svg.meter{width:6.5rem;display:inline-block;margin:0 0 0 .4rem;vertical-align:middle}
svg.meter .bar{stroke-width:3}
.c-0{color:var(--c0)}.c-1{color:var(--c1)}.c-2{color:var(--c2)}.c-3{color:var(--c3)}.c-4{color:var(--c4)}.c-5{color:var(--c5)}.c-null{color:var(--cn)}
.dot{display:inline-block;width:.65rem;height:.65rem;border-radius:50%;background:currentColor;margin-right:.45rem}
.spread{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.5rem 1.5rem}
.spread figure{margin:0}
figcaption{font-size:.9rem}
.moments{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:1rem}
.moment{background:var(--card);border:1px solid var(--rule);border-left:4px solid var(--rule);border-radius:.35rem;padding:.8rem 1rem}
.moment.worst{border-left-color:var(--bad)}.moment.best{border-left-color:var(--good)}
blockquote{margin:.4rem 0 .5rem;overflow-wrap:anywhere;white-space:pre-wrap}
.from{font-size:.8rem;color:var(--soft)}
details{margin:.5rem 0}
summary{cursor:pointer;font-size:.92rem;padding:.3rem 0}
pre{background:var(--card);border:1px solid var(--rule);border-radius:.35rem;padding:.9rem 1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
.verdicts{padding-left:1.1rem}.verdicts li{margin:.35rem 0}
footer{padding-top:2.5rem;padding-bottom:3rem;font-size:.85rem;color:var(--soft)}
@media print{details>*{display:block}nav{display:none}}
`;
