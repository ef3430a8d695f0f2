// The style of the plain page: two columns, calm colours, light and dark.

export const plainStyle: string = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #5c6675; --line: #dfe3e8; --back: #fff; --side: #f6f7f9; --link: #0b62c4; --code: #f0f2f5 }
@media (prefers-color-scheme: dark) { :root { --text: #dde3ea; --soft: #98a3b1; --line: #2d3540; --back: #12161c; --side: #181d25; --link: #6fb1ff; --code: #1f2630 } }
* { box-sizing: border-box }
html { scroll-behavior: smooth }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); color: var(--text); background: var(--back); font: 16px/1.5 system-ui, sans-serif }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; background: var(--side); border-right: 1px solid var(--line); display: flex; flex-direction: column; gap: .15rem }
nav img { max-width: 100%; max-height: 4rem; object-fit: contain; margin-bottom: 1rem }
nav a { color: var(--text); text-decoration: none; padding: .2rem .5rem; border-radius: .3rem }
nav a:hover { background: var(--code) }
nav .title { font-weight: 650; margin-bottom: .6rem }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 70rem }
h1 { margin: 0 0 .5rem } h1 small { font-weight: 400; color: var(--soft); font-size: 1rem }
h2 { margin: 3rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line) }
h3 { margin: 1.4rem 0 .4rem; font-size: 1rem }
p { margin: .4rem 0 } a { color: var(--link) } .meta, small, summary span { color: var(--soft) } em { color: var(--soft); font-size: .8em }
code { font: .88em ui-monospace, Menlo, Consolas, monospace; background: var(--code); padding: .1em .35em; border-radius: .25em; overflow-wrap: anywhere }
section > details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0 }
section > details > summary { padding: .55rem .8rem; cursor: pointer; list-style: none; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap }
section > details[open] > summary { border-bottom: 1px solid var(--line) }
section > details > div { padding: .5rem 1rem 1.2rem }
summary code { background: none; padding: 0; font-size: .95em }
summary b { font: 650 .75em ui-monospace, monospace; text-transform: uppercase; color: #fff; border-radius: .25rem; padding: .2em .5em; min-width: 4.5em; text-align: center }
:where(summary b) { background: #57606a } .get { background: #1a7f4b } .post { background: #0b62c4 } .patch, .put { background: #a15c00 } .delete { background: #c02f35 }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .4rem .6rem .4rem 0; vertical-align: top } td:first-child { width: 16rem }
ul { margin: .3rem 0; padding-left: 1.2rem } table summary { cursor: pointer }
@media (max-width: 45rem) { body { display: block } nav { position: static; height: auto; border-right: 0 } td:first-child { width: 40% } }
`
