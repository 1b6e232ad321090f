import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, isAppError } from '../../../core/errors.ts'
import type { Capture, VersionItem } from '../../../services/archive/archive-reader.ts'
import { readReplayPath, replayPath, timeDigits } from '../../../services/replay/replay-path.ts'
import { anyone, askerOf } from '../../http/access.ts'
import { attachment, nameOfUrl } from '../../http/attachment.ts'
import { shownTypeOf } from '../../http/content-type.ts'
import { asForeignContent, asReplayedPage, asReplayViewer } from '../../http/headers.ts'
import type { ServerParts } from '../../parts.ts'
import { bouncePage, capturePage, listPage, missingPage, problemPage, timeMap } from '../../replay/replay-pages.ts'

type ReplayParts = Pick<ServerParts, 'archive' | 'settings'>

/**
 * Archived pages at `/web/TIME/URL`: our page with a banner, and in its frame the fetched content, which runs and requests nothing.
 * The URL is everything after the time, including its query, so the route is matched by its prefix alone (`replayRoute`).
 */
export function addReplay(server: FastifyInstance, parts: ReplayParts): void {
  server.get('/web', { config: anyone, schema: { hide: true } }, async (request, reply) => {
    const rest = request.originalUrl.slice('/web/'.length)
    reply.type('text/html; charset=utf-8')
    if (request.caller === null) return askAgain(request, reply)
    try {
      return await answer(rest, request, reply, parts)
    } catch (error) {
      if (!isAppError(error)) throw error
      return explain(error, rest, reply)
    }
  })
}

/** Hides the URLs of pages from the router, which would decode them and refuse those that aren't UTF-8. */
export function replayRoute({ url = '/' }: { url?: string | undefined }): string {
  return url.startsWith('/web/') ? '/web' : url
}

/**
 * Links in a replayed page come from a page without an origin, so without the session. Our own page then redirects to the same URL.
 * This is only safe for reading: see decision 023.
 */
function askAgain({ headers, originalUrl }: FastifyRequest, reply: FastifyReply): FastifyReply | string {
  const isFollowed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  if (isFollowed && headers['sec-fetch-site'] === 'cross-site')
    return asReplayViewer(reply).send(bouncePage(originalUrl))
  return reply.redirect(`/sign-in?next=${encodeURIComponent(originalUrl)}`)
}

async function answer(
  rest: string,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ReplayParts,
): Promise<unknown> {
  const { archive, settings } = parts
  const asked = readReplayPath(rest)
  const asker = askerOf(request)
  const { url } = asked
  if (asked.kind === 'list' || asked.kind === 'timemap') {
    const captures = await archive.captures({ ...asker, url })
    if (asked.kind === 'list') return asReplayViewer(reply).send(listPage(captures))
    return reply.type('application/link-format').send(timeMap(captures, settings.url.replace(/\/+$/, '')))
  }
  const at = asked.kind === 'last' ? wantedTime(request, reply) : asked.at
  const capture = await archive.capture({ ...asker, url, at })
  const { version } = capture
  if (version === null) return moved(capture, at, reply)
  const canonical = Date.parse(version.firstSeenAt)
  const isHere = asked.kind !== 'last' && asked.time === timeDigits(canonical) && url === capture.url
  if (asked.kind === 'frame') return frame(version, request, reply, parts)
  if (!isHere) return reply.redirect(replayPath(canonical, capture.url))
  describe(capture, version, reply)
  if (version.body !== 'kept') reply.code(version.reason === 'gone' ? 404 : 410)
  return asReplayViewer(reply).send(capturePage(capture, version))
}

/** RFC 7089: clients may request a time. */
function wantedTime({ headers }: FastifyRequest, reply: FastifyReply): number {
  reply.header('vary', 'Accept-Datetime')
  const given = headers['accept-datetime']
  const at = typeof given === 'string' ? Date.parse(given.slice(0, 100)) : Number.NaN
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at + 999
}

/** Nothing is stored for this URL; perhaps it redirected. */
function moved({ url, location }: Capture, at: number, reply: FastifyReply): unknown {
  const target = location === '' ? null : URL.parse(location, url)
  if (target === null || !/^https?:$/.test(target.protocol) || target.href === url)
    return asReplayViewer(reply.code(404)).send(missingPage(url))
  const then = Math.min(at, Date.now())
  return reply.redirect(replayPath(then, target.href))
}

function describe({ url, previous, next }: Capture, { firstSeenAt }: VersionItem, reply: FastifyReply): void {
  const memento = (at: number, rel: string) =>
    `<${replayPath(at, url)}>; rel="${rel}"; datetime="${new Date(at).toUTCString()}"`
  const at = Date.parse(firstSeenAt)
  const links = [
    `<${url}>; rel="original"`,
    `</web/${url}>; rel="timegate"`,
    `</web/timemap/link/${url}>; rel="timemap"; type="application/link-format"`,
    memento(at, 'memento'),
    ...(previous === null ? [] : [memento(previous, 'prev memento')]),
    ...(next === null ? [] : [memento(next, 'next memento')]),
  ]
  reply.header('memento-datetime', new Date(at).toUTCString()).header('link', links.join(', '))
}

async function frame(
  { id, firstSeenAt }: VersionItem,
  request: FastifyRequest,
  reply: FastifyReply,
  { archive }: ReplayParts,
) {
  const content = await archive.replay({ ...askerOf(request), version: id })
  const type = shownTypeOf(content.form)
  const asShown = content.form.kind === 'html' ? asReplayedPage : asForeignContent
  asShown(reply).type(type ?? 'application/octet-stream')
  reply.header('memento-datetime', new Date(firstSeenAt).toUTCString())
  if (type === null) reply.header('content-disposition', attachment(nameOfUrl(content.url, content.type)))
  return Buffer.from(content.bytes.buffer)
}

/** Error pages for people; other errors are handled as everywhere. */
function explain(error: AppError, rest: string, reply: FastifyReply): unknown {
  if (error.code === 'not-found') return asReplayViewer(reply.code(404)).send(missingPage(readReplayPath(rest).url))
  if (error.code === 'request-invalid') return asReplayViewer(reply.code(400)).send(problemPage(error.message))
  throw error
}
