import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../../core/html/escape.ts'
import { anyone } from '../http/access.ts'
import { addressOf } from '../http/server-address.ts'
import { type ApiDescription, EXAMPLE_ADDRESS, writeApiDocs } from './api-docs-page.ts'

const STYLE_PATH = '/api/docs.css'
const pagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The API reference for people: openapi.json as a page without scripts. */
export function addApiDocs(server: FastifyInstance, { url }: { url: string }): void {
  let page: string | null = null
  server.get('/api/docs', { config: anyone, schema: { hide: true } }, async (request, reply) => {
    // Routes don't change once the server is ready.
    page ??= writeApiDocs(server.swagger() as ApiDescription, STYLE_PATH)
    // Examples have the address that the reader used, so that they can be copied.
    const address = addressOf(request, url) || EXAMPLE_ADDRESS
    // A function, since `$` has a meaning in a replacement text.
    const shown = page.replaceAll(EXAMPLE_ADDRESS, () => escapeHtml(address))
    return reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(shown)
  })
  server.get(STYLE_PATH, { config: anyone, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(apiDocsStyle),
  )
}

/** Style sheet of the API reference. */
const apiDocsStyle = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c2024; --soft: #60646c; --line: #dcdfe4; --inset: #f4f5f7; --link: #0b57d0;
  --get: #17693c; --post: #7a4a00; --put: #4b3ab8; --patch: #6a3aa8; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e6e8eb; --soft: #a0a6ae; --line: #33383e; --inset: #1d2125; --link: #8ab4f8;
    --get: #7ddba3; --post: #f0c274; --put: #b3a8ff; --patch: #d3b0ff; --delete: #ff9d94;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 60rem; padding: 1rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible, .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; }
pre { margin: .25rem 0; padding: .75rem; overflow-x: auto; background: var(--inset); border-radius: .375rem; overflow-wrap: normal; }
small, .who, .about { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .375rem 0; }
details { border-top: 1px solid var(--line); }
details:last-child { border-bottom: 1px solid var(--line); }
summary { padding: .75rem .25rem; cursor: pointer; }
.call { padding: 0 .25rem 1rem; }
.method { display: inline-block; min-width: 4.25rem; font-weight: 600; font-size: .8125rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.about { display: block; padding-left: 1.1rem; }
.status { margin: .75rem 0 .25rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
@media (min-width: 48rem) { .about { display: inline; padding-left: .5rem; } }
`
