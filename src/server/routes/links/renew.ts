import { Type } from 'typebox'
import { AppError } from '../../../core/errors.ts'
import { ownerOf, writer } from '../../http/access.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { Problem } from '../../schemas/common.ts'
import { ChannelParams, FeedUrls } from '../../schemas/delivery.ts'
import { feedUrlsAnswer } from '../delivery/delivery-answers.ts'

const Renewed = Type.Object({ feedUrls: FeedUrls })

/** Creates new URLs for a feed and invalidates the old ones. */
export function addRenewal(api: Api, { feeds }: Pick<ServerParts, 'feeds'>): void {
  api.post(
    '/channels/:id/renew',
    {
      config: writer,
      schema: {
        tags: ['delivery'],
        summary: 'Give a feed new addresses; those it had stop working',
        params: ChannelParams,
        response: { 200: Renewed, '4xx': Problem },
      },
    },
    async (request) => {
      const feedUrls = await feeds.renew(ownerOf(request), request.params.id)
      if (feedUrls === null) throw new AppError('not-found', 'you have no such feed')
      return { feedUrls: feedUrlsAnswer(request, feedUrls) }
    },
  )
}
