import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { byLink } from '../../http/access.ts'
import { FORM_BYTES, readForms } from '../../http/form-body.ts'
import type { ServerParts } from '../../parts.ts'

type Params = { Params: { secret: string } }

/**
 * The unsubscribe link of a message, which switches its channel off. The page has a button, since mail programs and scanners open links
 * by themselves; a POST takes effect at once (RFC 8058). Credentials of the request are ignored, and the response doesn't reveal whom
 * the channel belongs to.
 */
export function addUnsubscribe(server: FastifyInstance, { unsubscribe }: Pick<ServerParts, 'unsubscribe'>): void {
  const route = { config: byLink, schema: { hide: true } }
  server.register(async (scope) => {
    readForms(scope)
    // The single field of RFC 8058 may come in this form, too. It is ignored: the method suffices.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_, __, done) =>
      done(null, null),
    )
    scope.get<Params>('/unsubscribe/:secret', route, async ({ params }, reply) =>
      (await unsubscribe.isValid(params.secret)) ? send(reply, question) : send(reply.code(404), unknown),
    )
    scope.post<Params>('/unsubscribe/:secret', { ...route, bodyLimit: FORM_BYTES }, async ({ params }, reply) =>
      (await unsubscribe.switchOff(params.secret)) ? send(reply, done) : send(reply.code(404), unknown),
    )
  })
}

const style =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}:root{color-scheme:light dark}'
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function send(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page)
}

function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · eRACE</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`
}

const question = pageOf(
  'Stop these messages?',
  `<p>No more messages will be sent here. What you watch still arrives in your inbox.</p>
<form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>`,
)
const done = pageOf(
  'Unsubscribed',
  '<p>No more messages will be sent here. You can switch them on again under Settings.</p>',
)
const unknown = pageOf('This link is no longer valid', '<p>Sign in and change your notifications under Settings.</p>')
