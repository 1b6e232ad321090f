import { createHash } from 'node:crypto'
import { escapeHtml } from '../../core/html/escape.ts'
import type { Capture, Captures, VersionItem } from '../../services/archive/archive-reader.ts'
import { replayPath } from '../../services/replay/replay-path.ts'

/** Our own pages around replayed ones. They run no scripts, and load nothing but the frame. */

const style = `
:root{color-scheme:light dark;--fore:#1c1c1e;--back:#fff;--bar:#f2f2ef;--line:#d4d4cf;--link:#0b57a4}
@media (prefers-color-scheme:dark){:root{--fore:#ececec;--back:#1b1b1d;--bar:#26262a;--line:#47474d;--link:#8ec1ff}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.45 system-ui,sans-serif;color:var(--fore);background:var(--back)}
a{color:var(--link)}
.viewer{display:flex;flex-direction:column;height:100vh;height:100dvh}
header{display:flex;flex-wrap:wrap;gap:4px 20px;align-items:baseline;padding:8px 16px;background:var(--bar);border-bottom:1px solid var(--line)}
header p{margin:0;flex:1 1 20em;min-width:0;overflow-wrap:anywhere}
header .address{display:block;font-size:14px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav{display:flex;flex-wrap:wrap;gap:0 16px}
nav a,nav span{display:inline-block;padding:6px 0;min-height:36px}
nav span{opacity:.55}
iframe{flex:1;width:100%;border:0;background:#fff}
main{max-width:60em;margin:0 auto;padding:16px}
h1{font-size:22px;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
th,td{padding:8px 12px 8px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
@media (max-width:40em){.wide{display:none}}
`

/** CSP source that allows exactly this style sheet. */
export const replayStyle = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

function pageOf(title: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>`
}

const link = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${text}</a>`
const leave = (url: string): string => `/leave#${encodeURIComponent(url)}`

/** Readable time. */
function momentOf(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** A capture with its banner; without a body, the banner and the reason. */
export function capturePage({ document, url, previous, next }: Capture, version: VersionItem): string {
  const at = Date.parse(version.firstSeenAt)
  const step = (to: number | null, text: string) =>
    to === null ? `<span>${text}</span>` : link(replayPath(to, url), text)
  const banner = `<header><p>Captured <strong>${momentOf(at)}</strong>, unchanged until ${momentOf(version.lastSeenAt)}
<span class="address">${escapeHtml(url)}</span></p><nav aria-label="Captures">${step(previous, '← Previous')}${step(next, 'Next →')}${link(replayPath('*', url), 'All captures')}${link(`/documents/${document}`, 'History')}${link(leave(url), 'Live page')}</nav></header>`
  const frame = `<iframe sandbox="allow-top-navigation-by-user-activation" referrerpolicy="no-referrer" title="The page as it was captured" src="${escapeHtml(replayPath(at, url, 'if_'))}"></iframe>`
  const reason = absence(version)
  const shown = reason === null ? frame : `<main><h1>${escapeHtml(reason)}</h1></main>`
  return pageOf(`${version.title || url} – ${momentOf(at)}`, `<div class="viewer">${banner}${shown}</div>`)
}

function absence({ reason, status, location, body }: VersionItem): string | null {
  if (body === 'kept') return null
  if (reason === 'gone')
    return location === '' ? `The page was gone (status ${status}).` : `The page had moved to ${location}.`
  return body === 'dropped'
    ? 'This capture was deleted to save space.'
    : 'The content of this capture is not available.'
}

export function listPage({ document, url, items, isCut }: Captures): string {
  const rows = items.map(({ firstSeenAt, lastSeenAt, status, type, title, body }) => {
    const time = link(replayPath(Date.parse(firstSeenAt), url), momentOf(firstSeenAt))
    const about = body === 'kept' ? escapeHtml(title || type) : 'no content kept'
    return `<tr><td>${time}</td><td>${about}</td><td class="wide">${status}</td><td class="wide">${momentOf(lastSeenAt)}</td></tr>`
  })
  const more = isCut ? `<p>Older captures are in the ${link(`/documents/${document}`, 'history')}.</p>` : ''
  return pageOf(
    `Captures of ${url}`,
    `<main><h1>Captures of ${escapeHtml(url)}</h1><p>${link(`/documents/${document}`, 'History and changes')} · ${link(leave(url), 'Live page')}</p><table><thead><tr><th>Captured</th><th>Page</th><th class="wide">Status</th><th class="wide">Last seen</th></tr></thead><tbody>${rows.join('')}</tbody></table>${more}</main>`,
  )
}

/** RFC 7089: all captures for programs, oldest first. */
export function timeMap({ url, items }: Captures, origin: string): string {
  const target = (path: string) => `<${origin}${path}>`
  const lines = [
    `<${url}>; rel="original"`,
    `${target(`/web/timemap/link/${url}`)}; rel="self"; type="application/link-format"`,
    `${target(`/web/${url}`)}; rel="timegate"`,
  ]
  for (const { firstSeenAt } of items.toReversed()) {
    const at = Date.parse(firstSeenAt)
    lines.push(`${target(replayPath(at, url))}; rel="memento"; datetime="${new Date(at).toUTCString()}"`)
  }
  return `${lines.join(',\n')}\n`
}

export function missingPage(url: string): string {
  const watch = `/profiles/new?url=${encodeURIComponent(url)}`
  return pageOf(
    'Not in the archive',
    `<main><h1>Not in the archive</h1><p>${escapeHtml(url)}</p><p>No capture of this page is kept, or you can't see it. ${link(watch, 'Watch it')} to keep it from now on, or ${link(leave(url), 'open the live page')}.</p></main>`,
  )
}

export function problemPage(message: string): string {
  return pageOf('Invalid address', `<main><h1>Invalid address</h1><p>${escapeHtml(message)}</p></main>`)
}

/** Browsers send the session cookie only for navigation from our own pages: this one redirects to its own URL. */
export function bouncePage(path: string): string {
  const again = escapeHtml(path)
  return `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${again}"><title>Archive</title><p><a href="${again}">Continue</a></p>`
}
