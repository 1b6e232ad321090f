import { escapeHtml } from '../../core/html/escape.ts'
import type { StatsReport, StatsTable } from '../../core/reports/stats-report.ts'

const counts = new Intl.NumberFormat('en')
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/**
 * The statistics as a self-contained HTML page: tables with a bar in each row. Names come from servers and are escaped, and the page's
 * policy forbids scripts, images and requests.
 */
export function statsPage(report: StatsReport): string {
  const { documents, kept, hosts, bytes, sample, duplicates, at } = report
  const facts: [string, string][] = [
    ['Documents', counts.format(documents)],
    ['with a current version', counts.format(kept)],
    ['Hosts', counts.format(hosts)],
    ['Bytes', counts.format(bytes)],
    ['Equal bodies', part(duplicates.exact, kept)],
    ['Nearly equal texts', part(duplicates.near, duplicates.compared)],
    ['Versions read', part(sample.read, sample.of)],
  ]
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Statistics of an archive</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Statistics of an archive</h1>
<p>eRACE, ${escapeHtml(at.slice(0, 16).replace('T', ' '))} UTC${report.interrupted ? ', interrupted: not everything was counted' : ''}</p>
<dl>
${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('\n')}
</dl>
<div class="tables">
${report.tables.map(tableSection).join('\n')}
</div>
</main>
</body>
</html>
`
}

function part(count: number, of: number): string {
  return of === 0 ? '0' : `${counts.format(count)} of ${counts.format(of)} (${shares.format(count / of)})`
}

function tableSection({ id, title, note, rows, others, total, kind }: StatsTable): string {
  const all = others === 0 ? rows : [...rows, { name: 'others', count: others }]
  // In a ranking a bar shows the share of the total; in a distribution the longest fills the width.
  const whole = kind === 'ranking' ? total : Math.max(1, ...rows.map(({ count }) => count))
  const lines = all.map(({ name, count }) => {
    const width = whole === 0 ? 0 : Math.round((count / whole) * 1000) / 10
    const bar = `<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="1"/></svg>`
    const share = total === 0 ? '' : shares.format(count / total)
    return `<tr><th scope="row"><bdi>${escapeHtml(name.slice(0, 100))}</bdi></th><td class="bar">${bar}</td><td>${counts.format(count)}</td><td>${share}</td></tr>`
  })
  return `<section id="${escapeHtml(id)}">
<h2>${escapeHtml(title)}</h2>
<p>${escapeHtml(note)}</p>
${lines.length === 0 ? '<p>Nothing yet.</p>' : `<table>\n${lines.join('\n')}\n</table>`}
</section>`
}

const style = `
:root { color-scheme: light dark; --bar: light-dark(#2f6f9f, #7db8e0); --track: light-dark(#e8eef2, #26323a); --quiet: light-dark(#555, #aaa) }
body { font: 1rem/1.4 system-ui, sans-serif; margin: 1rem auto; max-width: 75rem; padding: 0 1rem }
dl { display: grid; gap: 0.5rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)) }
dt, section p { color: var(--quiet); font-size: 0.9rem }
dd { font-variant-numeric: tabular-nums; margin: 0 }
.tables { display: grid; gap: 1rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)) }
h2 { font-size: 1.1rem; margin: 1rem 0 0 }
section p { margin: 0 0 0.5rem }
table { border-spacing: 0; width: 100% }
th { font-weight: normal; max-width: 11rem; min-width: 8rem; overflow-wrap: anywhere; padding-right: 0.5rem; text-align: start }
td { font-variant-numeric: tabular-nums; padding-left: 0.5rem; text-align: end; white-space: nowrap }
.bar { padding-left: 0; width: 45% }
svg { background: var(--track); display: block; height: 0.9rem; width: 100% }
rect { fill: var(--bar) }
@media (max-width: 30rem) { table { font-size: 0.9rem } .bar { width: 25% } }
`
