import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { ChannelOwner } from '../../../services/channels/channel-settings.ts'
import { callerOf, ownerOf, reader, writer } from '../../http/access.ts'
import { WaitError } from '../../http/problem.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Nothing, Problem } from '../../schemas/common.ts'
import {
  Channel,
  ChannelChanges,
  ChannelDraft,
  ChannelList,
  ChannelParams,
  KindList,
  NewChannel,
  NextMessage,
  SavedChannel,
  TestResult,
} from '../../schemas/delivery.ts'
import { channelAnswer, kindAnswer, nextAnswer } from './delivery-answers.ts'

const tags = ['delivery']
const params = ChannelParams

/** Delivery channels of the caller. */
export function addChannels(api: Api, { channels }: Pick<ServerParts, 'channels'>): void {
  const { service, sending, testLimits } = channels

  api.get(
    '/channel-kinds',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the kinds of channels that you can add, with their settings',
        response: { 200: KindList, '4xx': Problem },
      },
    },
    async (request) => ({ items: (await service.kinds(whoOf(request))).map(kindAnswer), next: null }),
  )
  api.get(
    '/channels',
    {
      config: reader,
      schema: { tags, summary: 'List your channels', response: { 200: ChannelList, '4xx': Problem } },
    },
    async (request) => {
      const found = await service.list(ownerOf(request))
      return { items: found.map((channel) => channelAnswer(request, channel)), next: null }
    },
  )
  api.post(
    '/channels',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Add a channel; a secret that is made for it is shown in this answer only',
        body: ChannelDraft,
        response: { 201: NewChannel, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { kind, name, settings = {} } = request.body
      const { channel, secret, warnings } = await service.add(whoOf(request), { kind, name, settings })
      reply.status(201).header('cache-control', 'no-store')
      return {
        ...channelAnswer(request, channel),
        ...(secret !== null && { secret }),
        ...(warnings.length > 0 && { warnings: [...warnings] }),
      }
    },
  )
  api.get(
    '/channels/:id',
    {
      config: reader,
      schema: { tags, summary: 'Get a channel', params, response: { 200: Channel, '4xx': Problem } },
    },
    async (request) => {
      const channel = await service.find(ownerOf(request), request.params.id)
      if (channel === null) throw unknown()
      return channelAnswer(request, channel)
    },
  )
  api.patch(
    '/channels/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Rename a channel, change its settings, or turn it off and on',
        params,
        body: ChannelChanges,
        response: { 200: SavedChannel, '4xx': Problem },
      },
    },
    async (request) => {
      const saved = await service.change(whoOf(request), request.params.id, request.body)
      if (saved === null) throw unknown()
      const { channel, warnings } = saved
      return { ...channelAnswer(request, channel), ...(warnings.length > 0 && { warnings: [...warnings] }) }
    },
  )
  api.delete(
    '/channels/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Remove a channel, with its log, and take it out of your profiles',
        params,
        response: { 204: Nothing, '4xx': Problem },
      },
    },
    async (request, reply) => {
      if (!(await service.remove(ownerOf(request), request.params.id))) throw unknown()
      return reply.status(204).send(null)
    },
  )
  api.post(
    '/channels/:id/test',
    {
      config: writer,
      schema: {
        tags,
        summary: "Send a test message now; the answer is the other side's",
        params,
        response: { 200: TestResult, '4xx': Problem },
      },
    },
    async (request) => {
      const channel = await service.sendable(whoOf(request), request.params.id)
      if (channel === null) throw unknown()
      const seconds = testLimits.take(`channel tests of ${callerOf(request).account.id}`)
      if (seconds > 0) throw new WaitError('rate-limited', 'too many test messages; try again in a minute', seconds)
      return sending.tests.send(channel)
    },
  )
  api.get(
    '/channels/:id/next',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Preview the next message of a channel, as if nothing more came',
        params,
        response: { 200: NextMessage, '4xx': Problem },
      },
    },
    async (request) => {
      const channel = await service.stored(ownerOf(request), request.params.id)
      if (channel === null) throw unknown()
      return nextAnswer(await sending.previews.next(channel))
    },
  )
}

function whoOf(request: FastifyRequest): ChannelOwner {
  const { account, via, scopes } = callerOf(request)
  const isAdministrator = account.role === 'administrator' && (via === 'session' || scopes.includes('admin'))
  return { owner: account.email, isAdministrator }
}

function unknown(): AppError {
  return new AppError('not-found', 'you have no such channel')
}
