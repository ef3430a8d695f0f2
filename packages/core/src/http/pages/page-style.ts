// The CSS in all HTML pages except Redoc's: light and dark, for narrow and wide screens. `content-policy.ts` allows it by its hash.

/** The text of the `<style>`. */
export const pageStyle: string = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #5c6675; --line: #dfe3e8; --back: #fff; --side: #f6f7f9; --link: #0b62c4; --code: #f0f2f5 }
@media (prefers-color-scheme: dark) { :root { --text: #dde3ea; --soft: #98a3b1; --line: #2d3540; --back: #12161c; --side: #181d25; --link: #6fb1ff; --code: #1f2630 } }
* { box-sizing: border-box }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.5 system-ui, sans-serif }
header { background: var(--side); border-bottom: 1px solid var(--line); padding: .7rem clamp(1rem, 4vw, 3rem); display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline }
header .title { font-weight: 650; margin-right: auto }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 110rem }
h1 { margin: 0 0 .3rem; font-size: 1.7rem; overflow-wrap: anywhere } h1 small { font-weight: 400; color: var(--soft); font-size: 1rem }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem }
p { margin: .4rem 0 } a { color: var(--link) } .meta, small { color: var(--soft) }
code, pre { font: .88em/1.45 ui-monospace, Menlo, Consolas, monospace; background: var(--code); border-radius: .25em }
code { padding: .1em .35em; overflow-wrap: anywhere } pre { padding: .8rem; overflow: auto; max-height: 40rem; white-space: pre-wrap; overflow-wrap: anywhere }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; margin: .8rem 0 }
table { border-collapse: collapse; min-width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem; border-top: 1px solid var(--line); unicode-bidi: isolate }
td > div { max-width: 28rem; overflow-wrap: break-word; white-space: pre-wrap }
.one td > div { max-width: none; max-height: 24rem; overflow: auto }
thead th { border-top: 0; background: var(--side); white-space: nowrap; font-size: .9rem }
tbody th { font-weight: 500; white-space: nowrap } tbody tr:first-child > * { border-top: 0 } thead + tbody tr:first-child > * { border-top: 1px solid var(--line) }
tbody tr:hover { background: var(--side) }
.number { text-align: right; font-variant-numeric: tabular-nums } .null { color: var(--soft); font-style: italic }
.method { font: 600 .72rem ui-monospace, monospace; color: var(--soft); border: 1px solid var(--line); border-radius: .25rem; padding: .05em .4em; margin-right: .25rem; display: inline-block }
input { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .4rem; padding: .35rem .7rem; width: min(100%, 24rem) }
.pages { display: flex; flex-wrap: wrap; gap: 1.2rem; margin: .8rem 0 } ol { padding-left: 1.4rem } li { margin: .5rem 0 } li code { background: none; padding: 0 }
details { margin-top: 1.5rem } summary { cursor: pointer; color: var(--soft) }
`
