import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { contains, networkOf, parseAddress, parseCidr } from '../../core/url/address.ts'

export type ConnectionLimits = {
  /** In total. */
  max: number
  /** From one address; proxies in `trusted` are exempt, since all their users share it. */
  perAddress: number
  trusted: readonly string[]
}

type Connection = { socket: Socket; address: string; requests: number }

/**
 * Limits open connections. At a limit the connection that has been idle longest makes room, so connections that do nothing keep
 * no one out. A new connection is refused only if all others are in use.
 */
export function limitConnections(server: Server, { max, perAddress, trusted }: ConnectionLimits): void {
  const proxies = trusted.map(parseCidr)
  // Sets keep the order of insertion, and a connection is moved to the end whenever it becomes idle.
  const idle = new Set<Connection>()
  const byAddress = new Map<string, { open: number; idle: Set<Connection> }>()
  const connections = new Map<Socket, Connection>()

  function isProxy(text: string): boolean {
    const address = parseAddress(text)
    return address !== null && proxies.some((range) => contains(range, address))
  }

  const oldest = (set: Set<Connection>): Connection | undefined => set.values().next().value

  function makeRoom(open: number, limit: number, candidates: Set<Connection>): boolean {
    if (open < limit) return true
    const victim = oldest(candidates)
    if (victim === undefined) return false
    remove(victim)
    victim.socket.destroy()
    return true
  }

  function setIdle(connection: Connection, isIdle: boolean): void {
    const own = byAddress.get(connection.address)
    for (const set of [idle, own?.idle]) {
      set?.delete(connection)
      if (isIdle) set?.add(connection)
    }
  }

  function remove(connection: Connection): void {
    if (!connections.delete(connection.socket)) return
    setIdle(connection, false)
    const own = byAddress.get(connection.address)!
    own.open--
    if (own.open === 0) byAddress.delete(connection.address)
  }

  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const limit = isProxy((socket.remoteAddress ?? '').replace(/^::ffff:/, '')) ? max : perAddress
    const before = byAddress.get(address)
    if (before !== undefined && !makeRoom(before.open, limit, before.idle)) return void socket.destroy()
    if (!makeRoom(connections.size, max, idle)) return void socket.destroy()
    const own = byAddress.get(address) ?? { open: 0, idle: new Set() }
    byAddress.set(address, own)
    const connection: Connection = { socket, address, requests: 0 }
    connections.set(socket, connection)
    own.open++
    setIdle(connection, true)
    socket.once('close', () => remove(connection))
  })
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.requests++
    setIdle(connection, false)
    response.once('close', () => {
      connection.requests--
      if (connection.requests === 0 && connections.has(socket)) setIdle(connection, true)
    })
  })
}
