import type { Change } from '../../core/change/change.ts'
import { escapeHtml } from '../../core/html/escape.ts'
import type { DiffHunk, DiffReport, VersionReport } from '../../core/reports/history-report.ts'

/** What is shown of the two versions. */
type ShownVersion = Pick<VersionReport, 'n' | 'firstSeenAt' | 'status' | 'title'>
export type ShownDiff = Omit<DiffReport, 'from' | 'to'> & { from: ShownVersion; to: ShownVersion }

/** By block, or by lines or words as in the report. Source is always shown by lines or words. */
export type DiffView = 'changes' | 'text'

/**
 * A diff as one self-contained HTML page. All document content is escaped, and the page forbids itself scripts, images and requests,
 * so that it can be opened where the archive's own pages should not be.
 */
export function diffPage(report: ShownDiff, view: DiffView = 'changes'): string {
  const { url, from, to, hunks, changes } = report
  const title = `What changed: ${url}`
  const isByBlocks = view === 'changes' && report.compared === 'text'
  const body = isByBlocks
    ? grouped(changes).map(changesSection).join('')
    : hunks.map((hunk) => hunkSection(hunk, report.form)).join('')
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>What changed</h1>
<p class="url"><bdi>${escaped(url)}</bdi></p>
<dl>
<dt>From</dt><dd>${versionWords(from)}</dd>
<dt>To</dt><dd>${versionWords(to)}</dd>
</dl>
<p>${escaped(isByBlocks ? changesSummary(report) : summary(report))}</p>
${body}</main>
</body>
</html>
`
}

const style = `
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem }
.url { overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dd { margin: 0 }
section { border-top: 1px solid; margin-top: 1rem }
h2 { font-size: 1rem }
.text { overflow-wrap: anywhere; white-space: pre-wrap }
.line { display: block; min-height: 1.5em }
.change { margin: 0.5rem 0; overflow-wrap: anywhere; white-space: pre-wrap }
.heading { font-weight: bold }
.value, .path { font-family: ui-monospace, monospace }
.cell + .cell { border-left: 1px solid; margin-left: 0.5em; padding-left: 0.5em }
.sign { opacity: 0.75 }
ins { background: light-dark(#d7f5dd, #124d23); color: inherit }
del { background: light-dark(#ffe0e0, #5c1a1a); color: inherit }
ins::before, ins::after, del::before, del::after { clip-path: inset(100%); height: 1px; overflow: hidden; position: absolute; width: 1px }
ins::before { content: " [added:] " }
ins::after { content: " [end of added] " }
del::before { content: " [removed:] " }
del::after { content: " [end of removed] " }
`

function summary({ equal, compared, coarse, lines, words }: ShownDiff): string {
  const what = { text: 'The visible text', source: 'The source', bytes: 'The content' }[compared]
  if (equal) return `${what} is the same.`
  if (compared === 'bytes') return 'The content differs. It has no text that could be compared.'
  if (lines.added + lines.removed === 0) return `${what} differs in its line ends alone.`
  const counts = `${words.added} words added, ${words.removed} removed; ${lines.added} lines added, ${lines.removed} removed.`
  return coarse ? `${counts} The texts differ too much for an exact comparison.` : counts
}

function changesSummary(report: ShownDiff): string {
  const { changes, changeCount, coarse, compared, equal } = report
  if (equal || compared !== 'text' || changeCount === 0) return summary(report)
  const count = changeCount === 1 ? 'One change.' : `${changeCount} changes.`
  const shown = changes.length < changeCount ? ` The first ${changes.length} are shown.` : ''
  const rough = coarse ? ' The texts differ too much for an exact comparison.' : ''
  return `${count}${shown}${rough}`
}

/** Groups consecutive changes below the same headings. JSON values show their own paths. */
function grouped(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = []
  const placeOf = ({ block, path }: Change): string => (block === 'value' ? '' : path)
  for (const change of changes) {
    const last = groups.at(-1)
    if (last !== undefined && placeOf(last[0]!) === placeOf(change)) last.push(change)
    else groups.push([change])
  }
  return groups
}

function changesSection(changes: Change[]): string {
  const { block, path } = changes[0]!
  const heading = block === 'value' || path === '' ? '' : `<h2 dir="auto">${escaped(path)}</h2>\n`
  return `<section>\n${heading}${changes.map(changeLine).join('')}</section>\n`
}

function changeLine(change: Change): string {
  const { kind, block, key } = change
  const label = block === 'value' ? `<span class="path">${escaped(key)}: </span>` : ''
  const sign = kind === 'moved' ? '<span class="sign">Moved: </span>' : ''
  return `<div class="change ${block}" dir="auto">${sign}${label}${changedText(change)}</div>\n`
}

function changedText({ kind, block, before = '', after = '', pieces }: Change): string {
  if (kind === 'moved') return cells(escaped(after), block)
  const marked = pieces ?? [
    ...(before === '' ? [] : [{ kind: 'removed', text: before } as const]),
    ...(after === '' ? [] : [{ kind: 'added', text: after } as const]),
  ]
  const text = marked.map((piece) => {
    const inner = escaped(piece.text)
    if (piece.kind === 'same') return inner
    const tag = piece.kind === 'added' ? 'ins' : 'del'
    // An element can't span two cells.
    return inner
      .split('\t')
      .map((part) => (part === '' ? '' : `<${tag}>${part}</${tag}>`))
      .join('\t')
  })
  return cells(text.join(''), block)
}

function cells(html: string, block: Change['block']): string {
  if (block !== 'row') return html
  return html
    .split('\t')
    .map((cell) => `<span class="cell">${cell}</span>`)
    .join('')
}

function versionWords({ n, firstSeenAt, status, title }: ShownVersion): string {
  const name = title === '' ? '' : ` · <bdi>${escaped(title)}</bdi>`
  return `version ${n}, <time datetime="${escaped(firstSeenAt)}">${escaped(firstSeenAt)}</time>, status ${status}${name}`
}

function hunkSection({ fromLine, fromCount, toLine, toCount, pieces }: DiffHunk, form: DiffReport['form']): string {
  const open = form === 'lines' ? '<span class="line" dir="auto">' : ''
  const close = form === 'lines' ? '</span>' : ''
  const text = pieces.map((piece) => {
    const inner = escaped(piece.text)
    if (piece.kind === 'same') return `${open}${inner}${close}`
    const tag = piece.kind === 'added' ? 'ins' : 'del'
    return `${open}<${tag}>${inner}</${tag}>${close}`
  })
  const places = `Lines ${span(fromLine, fromCount)}, now ${span(toLine, toCount)}`
  return `<section>\n<h2>${places}</h2>\n<div class="text" dir="auto">${text.join('')}</div>\n</section>\n`
}

function span(line: number, count: number): string {
  if (count === 0) return `after ${line}`
  return count === 1 ? `${line}` : `${line} to ${line + count - 1}`
}

/** Characters that HTML can't hold become U+FFFD. */
function escaped(text: string): string {
  return escapeHtml(text).replace(/[\p{Cc}--[\t\n]]/gv, '\ufffd')
}
