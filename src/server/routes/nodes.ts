import type { NodeList as Nodes } from '../../services/activity/this-node.ts'
import { administrator } from '../access.ts'
import type { Api } from '../parts.ts'
import { NodeList } from '../schemas/activity.ts'
import { Problem } from '../schemas/common.ts'

export function addNodes(api: Api, { nodes }: { nodes: Nodes }): void {
  api.get(
    '/nodes',
    {
      config: administrator,
      schema: {
        tags: ['administration'],
        summary: 'The processes that take part in the work',
        response: { 200: NodeList, '4xx': Problem },
      },
    },
    async () => ({ items: await nodes.list(), next: null }),
  )
}
