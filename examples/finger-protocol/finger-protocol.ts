import { connect } from 'node:net'
import { AppError, defineFetcher } from 'erace'

/**
 * Finger (RFC 1288): who is logged in at a host, and what a user says about themselves. `finger://host/` lists the users,
 * `finger://host/ann` is one of them. The crawler's own guard decides which addresses may be connected to; the crawl's limits of time and
 * size apply.
 */
const PORT = 79
const userPattern = /^[\w.-]{1,64}$/

export default defineFetcher({
  name: 'finger',
  create: () => ({
    schemes: ['finger'],
    can: { revalidate: false, push: false, depth: false, credentials: 'none' },
    normalise(url) {
      const { host, user } = placeOf(url)
      return `finger://${host}/${user}`
    },
    async open({ url, resolve, signal, limits }) {
      const { host, hostname, port, user } = placeOf(url)
      const address = await resolve(hostname)
      const ask = (query: string) => finger({ address, port, query, signal, ...limits })
      return {
        address,
        async look() {
          if (user !== '') return { kind: 'item', item: { url, name: user, validator: '' } }
          const { body } = await ask('')
          const users = [
            ...new Set(
              body
                .toString('latin1')
                .split(/\r?\n/)
                .map((line) => line.split(/\s/)[0] ?? ''),
            ),
          ]
          return {
            kind: 'list',
            title: `Users of ${host}`,
            items: users
              .filter((name) => userPattern.test(name))
              .slice(0, limits.maxItems)
              .map((name) => ({ url: `finger://${host}/${name}`, name, validator: '' })),
            ...{ lists: [], isWhole: true, cursor: '', hasMore: false, left: '' },
          }
        },
        async read(item) {
          return { type: 'text/plain; charset=utf-8', title: item.name, ...(await ask(item.name)) }
        },
        async close() {},
      }
    },
    async close() {},
  }),
})

function placeOf(url: string) {
  const { host, hostname, port, pathname, protocol, search, hash } = new URL(url)
  const user = pathname.replace(/^\//, '')
  const isGood = protocol === 'finger:' && hostname !== '' && search === '' && hash === ''
  if (!isGood || (user !== '' && !userPattern.test(user)))
    throw new AppError('url-invalid', 'A finger address is finger://HOST/ or finger://HOST/USER')
  return { host, hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? PORT : Number(port), user }
}

type Question = {
  address: string
  port: number
  query: string
  signal: AbortSignal
  maxBodyBytes: number
  connectTimeoutMs: number
  stallTimeoutMs: number
}

/** Sends one query and reads the answer until the server closes the connection. */
async function finger(asked: Question): Promise<{ body: Buffer; isCut: boolean }> {
  const { address, port, query, signal, maxBodyBytes, stallTimeoutMs } = asked
  const socket = connect({ host: address, port })
  const stop = (): void => void socket.destroy(new AppError('total-timeout', 'the visit took too long'))
  signal.addEventListener('abort', stop, { once: true })
  socket.setTimeout(stallTimeoutMs, () => socket.destroy(new AppError('body-timeout', 'the server said nothing')))
  socket.write(`${query}\r\n`)
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of socket as AsyncIterable<Buffer>) {
      pieces.push(piece)
      length += piece.length
      if (length > maxBodyBytes) break
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('connect-failed', `finger: ${(error as Error).message}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
  return { body: Buffer.concat(pieces).subarray(0, maxBodyBytes), isCut: length > maxBodyBytes }
}
