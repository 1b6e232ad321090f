import { AppError } from '../../core/errors.ts'
import { type HostPosition, type HostReport, type HostView, hostHealths } from '../../store/contracts/host-view.ts'
import { administrator } from '../access.ts'
import { pageOf, placeOfText } from '../cursor.ts'
import type { Api } from '../parts.ts'
import { HostList, HostQuery } from '../schemas/activity.ts'
import { Problem } from '../schemas/common.ts'

export function addHosts(api: Api, { hosts }: { hosts: HostView }): void {
  api.get(
    '/hosts',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'List hosts: unhealthy ones first, then by queue length',
        querystring: HostQuery,
        response: { 200: HostList, '4xx': Problem },
      },
    },
    async ({ query: { q = '', limit = 50, cursor } }) => {
      const found = await hosts.hosts({ q, after: placeOf(cursor), limit: limit + 1 })
      const { items, next } = pageOf(found, limit, nameOfPlace)
      return { items: items.map(written), next }
    },
  )
}

function written({ nextAt, ...host }: HostReport) {
  return { ...host, nextAt: nextAt === 0 ? null : new Date(nextAt).toISOString() }
}

function nameOfPlace({ health, queued, host }: HostPosition): string {
  return `${health} ${queued} ${host}`
}

function placeOf(cursor: string | undefined): HostPosition | null {
  const text = placeOfText(cursor)
  if (text === null) return null
  const [, name, queued, host] = /^([a-z-]+) (\d{1,15}) (\S{1,300})$/.exec(text) ?? []
  const health = hostHealths.find((each) => each === name)
  if (health === undefined || queued === undefined || host === undefined)
    throw new AppError('cursor-invalid', 'invalid cursor: use the `next` value of this list')
  return { health, queued: Number(queued), host }
}
