import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import type { MessagePlace } from '../../../store/contracts/deliveries.ts'
import { ownerOf, reader, writer } from '../../http/access.ts'
import { pageOf, textOfCursor } from '../../http/cursor.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { Delivery, DeliveryList, DeliveryQuery } from '../../schemas/delivery.ts'
import { deliveryAnswer } from './delivery-answers.ts'

const tags = ['delivery']
const DEFAULT_LIMIT = 50
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })

/** Messages sent to the caller, with time and outcome. */
export function addDeliveries(api: Api, { channels }: Pick<ServerParts, 'channels'>): void {
  const { deliveries, clock } = channels

  api.get(
    '/deliveries',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List messages of your channels, the newest first',
        querystring: DeliveryQuery,
        response: { 200: DeliveryList, '4xx': Problem },
      },
    },
    async (request) => {
      const { state, channel, before, cursor, limit = DEFAULT_LIMIT } = request.query
      const filter = { ...(state !== undefined && { state }), ...(channel !== undefined && { channel }) }
      const page = { before: placeOf(before ?? cursor), limit: limit + 1 }
      const found = await deliveries.messages(ownerOf(request), filter, page)
      const { items, next } = pageOf(found, limit, ({ createdAt, id }) => `${createdAt} ${id}`)
      return { items: items.map(deliveryAnswer), next }
    },
  )
  api.post(
    '/deliveries/:id/resend',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Send a failed message again, under its id',
        params,
        response: { 200: Delivery, '4xx': Problem },
      },
    },
    async (request) => {
      const owner = ownerOf(request)
      const { id } = request.params
      const message = await deliveries.message(owner, id)
      if (message === null) throw new AppError('not-found', 'you have no such message')
      if (message.kind === 'test') throw new AppError('request-invalid', 'a test is not sent again; send another one')
      const isWaiting = await deliveries.sendAgain(owner, id, clock.now())
      if (!isWaiting) throw new AppError('request-invalid', 'only failed messages can be sent again')
      return deliveryAnswer((await deliveries.message(owner, id)) ?? message)
    },
  )
}

function placeOf(cursor: string | undefined): MessagePlace | null {
  const text = textOfCursor(cursor)
  if (text === null) return null
  const [, at, id] = /^(\d{1,16}) (.{1,200})$/s.exec(text) ?? []
  if (at === undefined || id === undefined)
    throw new AppError('cursor-invalid', 'invalid cursor: use the `next` value of a list')
  return { createdAt: Number(at), id }
}
