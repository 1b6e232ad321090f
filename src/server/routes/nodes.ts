import { AppError } from '../../core/errors.ts'
import type { NodeList as Nodes } from '../../services/activity/this-node.ts'
import { administrator } from '../access.ts'
import type { Api } from '../parts.ts'
import { Node, NodeChanges, NodeList, NodeParams } from '../schemas/activity.ts'
import { Problem } from '../schemas/common.ts'

export function addNodes(api: Api, { nodes }: { nodes: Nodes }): void {
  api.get(
    '/nodes',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'List the nodes',
        response: { 200: NodeList, '4xx': Problem },
      },
    },
    async () => ({ items: await nodes.list(), next: null }),
  )
  api.patch(
    '/nodes/:id',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'Drain a node (it hands over its partitions and takes no new ones), or undo that',
        params: NodeParams,
        body: NodeChanges,
        response: { 200: Node, '4xx': Problem },
      },
    },
    async ({ params: { id }, body: { draining } }) => {
      const known = (await nodes.drain?.(id, draining)) ?? true
      const node = known ? (await nodes.list()).find((each) => each.id === id) : undefined
      if (node === undefined) throw new AppError('not-found', 'no such node')
      if (nodes.drain === undefined)
        throw new AppError(
          'not-available',
          'a single process does all the work; no other node can take over. Pause the crawl or stop the process instead',
        )
      return node
    },
  )
}
