import { once } from 'node:events'
import { connect } from 'node:net'
import { createHostileSite, type HostileOptions, type HostileSite } from './hostile-site.ts'

/** Hostile paths, each on an origin of its own: what one of them does to its host is no fault of the others. */
export type HostileOrigins = {
  byPath: Map<string, HostileSite>
  close(): Promise<void>
}

export async function createHostileOrigins(paths: readonly string[], options: HostileOptions): Promise<HostileOrigins> {
  const byPath = new Map<string, HostileSite>()
  for (const path of paths) byPath.set(path, await createHostileSite(options))
  return {
    byPath,
    async close() {
      for (const site of byPath.values()) await site.close()
    },
  }
}

/** Every path that the hostile site knows. */
export async function hostilePaths(): Promise<string[]> {
  const site = await createHostileSite()
  await site.close()
  return site.paths
}

/** Asks once for an answer that takes long to make and is kept then, so that no other origin stands still for it later. */
export async function warmUp({ origin, log }: HostileSite, path: string): Promise<void> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  await once(socket, 'data')
  socket.destroy()
  log.length = 0
}
