import type { ServerResponse } from 'node:http'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'

/** A site whose content attacks its viewers. It has a second edition, so that there is something to compare. */
export type HostileNews = {
  origin: string
  attacks: readonly string[]
  /** The page with one of the attacks, as text and as markup. */
  pathOf(attack: number): string
  /** The page with all of them. */
  allPath: string
  /** Responses with wrong headers, by kind of fault. */
  odd: Record<string, string>
  publish(): void
  /** Requests from a browser, which must never happen. */
  asked: string[]
  close(): Promise<void>
}

type Answer = { status?: number; reason?: string; headers?: Record<string, string>; body: string }

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
/** Part of every text on the site. */
export const WORD = 'tangerine'

const script = `<script>__hit('odd')</script>`
/** Files with misleading content or hostile names. */
const fileName = '%22%3E%3Cscript%3E__hit(1)%3C%2Fscript%3E%0d%0aX-Y%3A%20z%E2%80%AEgpj.html'

function linksOf(edition: number): string {
  const targets = [
    `javascript:__hit('link')`,
    ` java&#9;script:__hit('tab')`,
    'data:text/html,<script>__hit(1)</script>',
    'vbscript:__hit(1)',
    'blob:null/1',
    '//127.0.0.1:1/elsewhere',
    `/linked?"><script>__hit('linked')</script>${edition}`,
    '/linked/%22%3E%3Cimg%20src=x%20onerror=__hit(1)%3E',
  ]
  return targets.map((target) => `<a target=_top ping=/ping href='${target.replaceAll("'", '&#39;')}'>go</a>`).join('')
}

function oddAnswers(edition: number): Record<string, Answer> {
  const today = `<item><guid>today</guid><title>Today</title><description>${edition === 1 ? 'morning' : 'evening'}</description></item>`
  const html = `<!doctype html>${script}<p>${WORD} ${edition} shown`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="__hit('root')">${script}<text>${WORD} ${edition}</text></svg>`
  const feed = attackStrings
    .map((attack) => `<item><title>${escaped(attack)}</title><link>javascript:__hit('feed')</link></item>`)
    .join('')
  return {
    '/odd/picture': { headers: { 'content-type': 'image/png' }, body: html },
    '/odd/drawing.svg': { headers: { 'content-type': 'image/svg+xml' }, body: svg },
    '/odd/drawing.xml': { headers: { 'content-type': 'text/xml' }, body: svg },
    '/odd/plain': { headers: { 'content-type': 'text/plain' }, body: html },
    '/odd/untold': { headers: { 'content-type': '' }, body: html },
    '/odd/paper': { headers: { 'content-type': 'application/pdf' }, body: html },
    '/odd/json': { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ html, edition }) },
    '/odd/seven': {
      headers: { 'content-type': 'text/html; charset=utf-7' },
      body: `+ADw-script+AD4-__hit('utf7')+ADw-/script+AD4- ${WORD} ${edition} shown`,
    },
    '/odd/strict': {
      headers: { 'content-type': 'application/xhtml+xml' },
      body: `<html xmlns="http://www.w3.org/1999/xhtml"><body onload="__hit('xhtml')">${script}<p>${WORD} ${edition} shown</p></body></html>`,
    },
    '/odd/headers': {
      headers: {
        'content-type': `text/html; charset="utf-8<script>__hit('type')</script>"`,
        etag: `"<img src=x onerror=__hit('etag')>${edition}"`,
        'last-modified': `<img src=x onerror=__hit('modified')>`,
        link: '</odd/canary.css>; rel=preload; as=style',
        refresh: '0;url=javascript:__hit()',
        'content-security-policy': `script-src * 'unsafe-inline'; sandbox allow-scripts allow-same-origin`,
      },
      body: html,
    },
    '/odd/feed': {
      headers: { 'content-type': 'application/rss+xml' },
      body: `<?xml version="1.0"?><rss version="2.0"><channel><title>${WORD} ${edition}</title>${feed}${today}</channel></rss>`,
    },
    '/odd/error': { status: 500, reason: `<img src=x onerror=__hit('reason')>`, body: html },
    '/odd/gone': { status: 404, reason: `<script>__hit('gone')</script>`, body: html },
    '/odd/moved': { status: 302, headers: { location: `javascript:__hit('moved')` }, body: html },
    [`/odd/file/${fileName}`]: { body: html },
    '/odd/address?q="><script>__hit(1)</script>': { body: html },
    '/odd/links': { body: `<title>Links</title><p>${WORD} ${edition}</p>${linksOf(edition)}` },
  }
}

export async function createHostileNews(): Promise<HostileNews> {
  let edition = 1
  let attacks: string[] = []
  const asked: string[] = []
  let odd: Record<string, Answer> = oddAnswers(edition)

  /** The text comes first, as the markup may swallow the rest. */
  function pageOf(texts: readonly string[], title: string): string {
    const shown = texts.map((text) => `<p>${escaped(text)}</p>`).join('\n')
    return `<!doctype html><title>${escaped(title)}</title><p>${WORD} in edition ${edition}.</p>${edition === 1 ? '' : shown}\n${texts.join('\n')}`
  }
  function answer(path: string): Answer {
    const attack = attacks[Number(/^\/attack\/(\d+)$/.exec(path)?.[1] ?? -1)]
    if (attack !== undefined) return { body: pageOf([attack], attack) }
    if (path === '/all') return { body: pageOf(attacks, 'All of them') }
    // The name is enough: clients encode the rest differently.
    const name = /^\/odd\/\w+/.exec(path)?.[0] ?? ' '
    const key = Object.keys(odd).find((each) => each === path) ?? Object.keys(odd).find((each) => each.startsWith(name))
    return (key === undefined ? undefined : odd[key]) ?? { status: 404, body: '' }
  }
  function send(response: ServerResponse, { status = 200, reason, headers = {}, body }: Answer): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value === '') response.removeHeader(name)
      else response.setHeader(name, value)
    }
    response.writeHead(status, reason ?? '').end(body)
  }
  const site: HandlerSite = await createHandlerSite((path, response, request) => {
    if (/chrome/i.test(request.headers['user-agent'] ?? '')) asked.push(path)
    send(response, path === '/robots.txt' ? { status: 404, body: '' } : answer(path))
  })
  attacks = attackStrings.map((attack) => attack.replaceAll('CANARY', site.origin))
  return {
    origin: site.origin,
    get attacks() {
      return attacks
    },
    pathOf: (attack) => `/attack/${attack}`,
    allPath: '/all',
    odd: Object.fromEntries(Object.keys(odd).map((path) => [path, `${site.origin}${path}`])),
    publish() {
      edition++
      odd = oddAnswers(edition)
    },
    asked,
    close: site.close,
  }
}

/**
 * Payloads for pages, titles, headers, names and URLs that try to run where they are shown. Each calls `__hit`, requests
 * CANARY (filled in by the caller) or opens a dialog; none may succeed.
 */
const attackStrings: readonly string[] = [
  // Elements that execute.
  `<script>__hit('script')</script>`,
  `<script src="CANARY/script.js"></script>`,
  `<ScRiPt >__hit('case')</sCrIpT >`,
  `<scr<script>ipt>__hit('nested')</scr</script>ipt>`,
  `<svg><script>__hit('svg script')</script></svg>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=__hit('mutated')>`,
  `<noscript><p title="</noscript><img src=x onerror=__hit('noscript')>">`,
  `<template><img src=x onerror=__hit('template')></template>`,
  // Handlers.
  `<img src=x onerror=__hit('img')>`,
  `<svg/onload=__hit('svg')>`,
  `<svg><animate onbegin=__hit('animate') attributeName=x dur=1s>`,
  `<body onload=__hit('body') onpageshow=__hit('pageshow')>`,
  `<details open ontoggle=__hit('details')>`,
  `<input autofocus onfocus=__hit('focus')>`,
  `<video><source onerror=__hit('video')></video>`,
  `<audio src=x onerror=__hit('audio')>`,
  `<marquee onstart=__hit('marquee')>`,
  `<div style="animation:x 1s" onanimationstart=__hit('animation') onpointerover=__hit('over')>`,
  `<img src=x onerror=alert('dialog')>`,
  // Breaking out of text.
  `"><img src=x onerror=__hit('quote')>`,
  `'><img src=x onerror=__hit('apostrophe')>`,
  `" autofocus onfocus="__hit('attribute')`,
  "` onmouseover=__hit('backtick') `",
  `</title><script>__hit('title')</script>`,
  `</textarea><script>__hit('textarea')</script>`,
  `</style><script>__hit('style')</script>`,
  `--><script>__hit('comment')</script><!--`,
  `]]><script xmlns="http://www.w3.org/1999/xhtml">__hit('cdata')</script>`,
  `</pre></td></table><script>__hit('table')</script>`,
  `');__hit('call');('`,
  // Frames, loads and navigation.
  `<iframe srcdoc="<script>parent.__hit('srcdoc')</script>"></iframe>`,
  `<iframe src="javascript:parent.__hit('frame')"></iframe>`,
  `<object data="data:text/html,<script>__hit('object')</script>"></object>`,
  `<embed src="CANARY/embed.swf">`,
  `<link rel=stylesheet href="CANARY/link.css"><link rel=prefetch href="CANARY/prefetch">`,
  `<style>@import "CANARY/import.css"; body{background:url(CANARY/background.png)}</style>`,
  `<meta http-equiv=refresh content="0;url=CANARY/refresh">`,
  `<base href="CANARY/base/"><img src=relative.png>`,
  `<form action="CANARY/form"><button autofocus onfocus=form.submit()>Go</button></form>`,
  `<a href="javascript:__hit('link')" target=_top>javascript link</a>`,
  `<a href="data:text/html,<script>__hit('data')</script>">data link</a>`,
  `<img src="CANARY/pixel.gif" srcset="CANARY/pixel-2.gif 2x">`,
  `<?xml-stylesheet type="text/xsl" href="CANARY/style.xsl"?>`,
  // Other encodings.
  `&lt;script&gt;__hit('entity')&lt;/script&gt;`,
  `&#60;img src=x onerror=__hit('number')&#62;`,
  `%3Cscript%3E__hit('percent')%3C/script%3E`,
  `\\u003cscript\\u003e__hit('escape')\\u003c/script\\u003e`,
  `+ADw-script+AD4-__hit('utf7')+ADw-/script+AD4-`,
  `javascript:__hit('address')`,
  `data:text/html;base64,PHNjcmlwdD5fX2hpdCgnYmFzZTY0Jyk8L3NjcmlwdD4=`,
  // Templates, prototypes, line breaks, text direction.
  `{{constructor.constructor('__hit()')()}}`,
  `\${__hit('literal')}`,
  `__proto__`,
  `invoice \u202Egpj.exe\u202C of \u2066<b>today</b>\u2069`,
  `a%0d%0aSet-Cookie: erace_session=stolen%0d%0a%0d%0a<script>__hit('crlf')</script>`,
]
