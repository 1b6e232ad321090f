import type { FastifyInstance } from 'fastify'

/** Every route of the server, as the router itself lists them: `GET /api/v1/users/:id`. */
export function routesOf(server: FastifyInstance): { method: string; path: string }[] {
  const found: { method: string; path: string }[] = []
  const stack: string[] = []
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, rest] = /^((?:│ {3}| {4})*)(?:├── |└── )(.*)$/.exec(line) ?? []
    if (indent === undefined || rest === undefined) continue
    const [, part, methods] = /^(.*?)(?: \(([A-Z, ]+)\))?$/.exec(rest)!
    stack.length = indent.length / 4
    stack.push(part!)
    for (const method of methods?.split(', ') ?? []) found.push({ method, path: stack.join('') })
  }
  return found
}
