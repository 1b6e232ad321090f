import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { type FeedContent, type FeedPlace, tagOfFeed } from '../../../services/delivery/feeds.ts'
import { type FeedFormat, feedFormats } from '../../../services/delivery/secret-links.ts'
import { byLink } from '../../http/access.ts'
import { isAmongTags } from '../../http/etags.ts'
import { WaitError } from '../../http/problem.ts'
import { addressOf } from '../../http/server-address.ts'
import type { ServerParts } from '../../parts.ts'

const types: Record<FeedFormat, string> = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
}

type Parts = Pick<ServerParts, 'feeds' | 'settings' | 'requestLimits'>

/** Feeds for readers that can't sign in: the URL is the secret. */
export function addFeeds(server: FastifyInstance, { feeds, settings, requestLimits }: Parts): void {
  server.get<{ Params: { file: string } }>(
    '/feeds/:file',
    { config: byLink, schema: { hide: true } },
    async (request, reply) => {
      const { secret, format } = readName(request.params.file)
      const channel = await feeds.find(secret)
      if (channel === null || format === null) throw new AppError('not-found', 'no such feed')
      // The URL may have been shared: all its readers together have the limit of one.
      const seconds = requestLimits.take(`feed ${channel.id}`)
      if (seconds > 0) throw new WaitError('rate-limited', 'too many requests; slow down', seconds)
      const content = await feeds.read(channel)
      const address = addressOf(request, settings.url)
      const place: FeedPlace = { address, self: `${address}/feeds/${secret}.${format}` }
      const tag = tagOfFeed(content, format, place)
      reply.headers({ 'cache-control': 'private, no-cache', etag: tag })
      // Some readers ignore entries that aren't newer, and times are in seconds: omit it while more may come within the same second.
      if (content.isSettled) reply.header('last-modified', new Date(content.updatedAt).toUTCString())
      if (isKnown(request, content, tag)) return reply.code(304).send()
      return reply.type(types[format]).send(await feeds.render(content, format, place))
    },
  )
}

/** Invalid names are looked up like any other, so that they take as long. */
function readName(file: string): { secret: string; format: FeedFormat | null } {
  const dot = file.lastIndexOf('.')
  const end = file.slice(dot + 1)
  const format = dot === -1 ? undefined : feedFormats.find((each) => each === end)
  return { secret: dot === -1 ? file : file.slice(0, dot), format: format ?? null }
}

/** RFC 9110, 13.2.2: `If-None-Match` takes precedence. */
function isKnown({ headers }: FastifyRequest, { updatedAt, isSettled }: FeedContent, tag: string): boolean {
  const asked = headers['if-none-match']
  if (asked !== undefined) return isAmongTags(tag, asked)
  const since = headers['if-modified-since']
  return since !== undefined && since === new Date(updatedAt).toUTCString() && isSettled
}
