import { type Behaviours, linkPage, reply } from './behaviour.ts'

/** Sites without an end, and pages that cost more than they look. */
export const hostileTraps: Behaviours = {
  '/calendar/': (socket, { path }) => {
    const [year = 2026, month = 1] = path.slice('/calendar/'.length).split('/').map(Number)
    const at = (offset: number): string => {
      const months = (Number.isInteger(year) ? year : 2026) * 12 + (Number.isInteger(month) ? month : 1) - 1 + offset
      return `/calendar/${Math.floor(months / 12)}/${(months % 12) + 1}`
    }
    reply(socket, { body: linkPage([at(1), at(-1), at(12)]) + path })
  },
  '/session': (socket, { query }) => {
    const ids = [1, 2, 3].map((step) => `/session?sid=${(hash(query) * step + step) >>> 0}`)
    reply(socket, { body: `${linkPage([...ids, `/session?page=2&${query}`])}<!-- ${query} -->` })
  },
  // Relative links under an address without a slash at its end: the classic mistake behind /a/a/a/a.
  '/echo/': (socket, { path }) => reply(socket, { body: linkPage(['a/', 'b/a/']) + path.length }),
  '/soft/': (socket, { path }) =>
    reply(socket, {
      body: `<h1>Sorry, nothing here</h1>${linkPage([`/soft/${hash(path)}`, `/soft/${hash(path) >>> 3}`])}`,
    }),
  '/faceted': (socket, { query }) =>
    reply(socket, {
      body: linkPage(['a', 'b', 'c', 'd'].map((key) => `/faceted?${query}&amp;${key}=${query.length}`)) + query,
    }),
  '/long-url': (socket, _, { longUrlChars }) =>
    reply(socket, { body: linkPage([`/${'u'.repeat(longUrlChars)}`, '/ok/1']) }),
  '/many-links': (socket, _, { manyLinks }) =>
    reply(socket, { body: Array.from({ length: manyLinks }, (_, link) => `<a href=/many/${link}>x</a>`).join('\n') }),
  '/nested-tags': (socket, _, { nestedTags }) =>
    reply(socket, { body: `${'<div>'.repeat(nestedTags)}<a href="/ok/1">x</a>` }),
  '/open-angles': (socket) => reply(socket, { body: '<'.repeat(1_000_000) }),
  '/open-comments': (socket) => reply(socket, { body: '<!--'.repeat(250_000) }),
  '/open-quote': (socket) => reply(socket, { body: `<a href="${'q'.repeat(1_000_000)}` }),
  '/open-scripts': (socket) => reply(socket, { body: '<script>'.repeat(125_000) }),
  '/many-attributes': (socket) =>
    reply(socket, {
      body: `<a ${Array.from({ length: 100_000 }, (_, name) => `a${name}=1`).join(' ')} href="/ok/1">x</a>`,
    }),
  '/entities': (socket) => reply(socket, { body: `<a href="/ok/1?${'&amp'.repeat(100_000)}">x</a>` }),
  '/base-elsewhere': (socket) =>
    reply(socket, { body: '<base href="file:///etc/"><a href="passwd">x</a><a href="/ok/1">x</a>' }),
}

function hash(text: string): number {
  let value = 2166136261
  for (let at = 0; at < text.length && at < 1000; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619)
  return value >>> 0
}
