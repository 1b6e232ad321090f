import { Type } from 'typebox'
import { formatDuration } from '../../../config/quantities.ts'
import type { SourceService } from '../../sources/source-service.ts'
import { cursorOf, moreLines, numberOf, pageArguments, pageOf } from '../paging.ts'
import { argumentsOf, defineTool, Id, lineOf, ProfileId } from '../tool.ts'

const states = ['all', 'unread', 'failing', 'paused'] as const
const Time = Type.Union([Type.String(), Type.Null()])

export const createSourcesTool = ({ sources }: { sources: Pick<SourceService, 'list'> }) =>
  defineTool({
    name: 'sources',
    title: 'List what I watch',
    description: 'Your watched addresses with their state, newest first.',
    access: 'read',
    isIdempotent: true,
    input: argumentsOf({
      state: Type.Optional(Type.Enum([...states], { default: 'all' })),
      profile: Type.Optional(ProfileId),
      query: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description: 'Part of the address, the title or the profile’s name',
        }),
      ),
      ...pageArguments({ usual: 20, most: 50 }),
    }),
    output: pageOf(
      Type.Object({
        id: Id,
        url: Type.String(),
        title: Type.String(),
        profile: Type.Object({ id: Type.String(), name: Type.String() }),
        every: Type.String(),
        state: Type.String(),
        message: Type.String(),
        failing: Type.Boolean(),
        unread: Type.Integer(),
        lastCheckedAt: Time,
        lastChangedAt: Time,
      }),
      { total: Type.Integer({ description: 'All that match' }) },
    ),
    async call({ owner }, { state = 'all', profile, query, limit = 20, cursor }) {
      const filter = { state, ...(profile !== undefined && { profile }), ...(query !== undefined && { q: query }) }
      const found = await sources.list(owner, filter, { before: numberOf(cursor), limit })
      const items = found.items.map(({ source, title, state: now, message, failing, unread, ...times }) => ({
        ...{ id: source.id, url: source.uri, title, profile: source.profile, every: formatDuration(source.everyMs) },
        ...{ state: now, message, failing, unread },
        lastCheckedAt: timeText(times.lastCheckedAt),
        lastChangedAt: timeText(times.lastChangedAt),
      }))
      const next = cursorOf(found.hasMore ? items.at(-1)!.id : null)
      const lines = items.flatMap(({ url, title, profile: of, every, state: now, message }) => [
        `${url}${title === '' ? '' : ` (${lineOf(title)})`}`,
        `  ${now}${message === '' ? '' : `: ${lineOf(message)}`}; every ${every}; profile ${lineOf(of.name) || of.id} (id ${of.id})`,
      ])
      const text = items.length === 0 ? 'Nothing is watched here.' : [...lines, ...moreLines(next)].join('\n')
      return { text, data: { items, total: found.counts.matching, next } }
    },
  })

const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
