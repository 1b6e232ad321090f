import { createHash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import { connectLines, type LineConnection } from './line-connection.ts'
import { abortFailure, connectionFailure } from './mail-failure.ts'
import { credentialsOf, type MailOptions, mayBePlain, tlsOptions } from './mail-options.ts'
import type { MailTarget } from './mail-url.ts'

/** A message; its number is valid only for this connection. */
export type Pop3Entry = { number: number; id: string }

/** A signed-in connection (RFC 1939, 2449, 2595). Messages are never deleted. All failures are AppErrors. */
export type Pop3Client = {
  readonly address: string
  /** Whether the server announces TOP; some support it without saying so. */
  readonly hasTop: boolean
  /** Null if the server doesn't support UIDL. */
  ids(): Promise<Pop3Entry[] | null>
  sizes(): Promise<Map<number, number>>
  /** The header and `lines` lines of the body. Null if the server refuses. */
  top(number: number, lines: number, maxBytes: number): Promise<Pop3Message | null>
  /** In the given order; null for messages that the server refuses. */
  retrieve(numbers: readonly number[], maxBytes: number): Promise<(Pop3Message | null)[]>
  close(): Promise<void>
}

export type Pop3Message = { body: Buffer; isCut: boolean }

type Reply = { isOk: boolean; text: string }

const maxEntries = 200_000
const goodbyeMs = 1000

export async function connectPop3(place: Place, target: MailTarget, options: MailOptions): Promise<Pop3Client> {
  const { host, port } = target
  const { signal, limits } = place
  const credentials = credentialsOf(place)
  const address = await place.resolve(host)
  let lines: LineConnection | null = null

  let turn: Promise<unknown> = Promise.resolve()

  /** Runs tasks one at a time, since responses arrive in the order of the commands. */
  function run<T>(task: () => Promise<T>): Promise<T> {
    const done = turn.then(() => attempt(task))
    turn = done.catch(() => {})
    return done
  }

  async function attempt<T>(task: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw abortFailure(host)
    try {
      return await task()
    } catch (error) {
      // Further responses could no longer be matched to commands.
      if (!(error instanceof AppError) || error.code === 'protocol-failed') lines?.destroy()
      throw signal.aborted ? abortFailure(host) : connectionFailure(error, host)
    }
  }

  try {
    const { connection, capabilities } = await run(async () => {
      lines = await connectLines({ ...limits, address, port, signal })
      return { connection: lines, capabilities: await signIn(lines, { target, address, options, credentials }) }
    })
    return pop3Client({ connection, capabilities, address, run })
  } catch (error) {
    ;(lines as LineConnection | null)?.destroy()
    throw error
  }
}

type SignIn = {
  target: MailTarget
  address: string
  options: MailOptions
  credentials: { user: string; password: string }
}

/** Returns the server's capabilities after signing in. */
async function signIn(lines: LineConnection, given: SignIn): Promise<ReadonlySet<string>> {
  const { target, address, options, credentials } = given
  const { host } = target
  const tls = { ...tlsOptions(host, options), host }
  if (target.isSecure) await lines.secure(tls)
  const greeting = await replyOf(lines)
  if (!greeting.isOk) throw new AppError('connect-failed', `${host} takes no connection at the moment.`)
  let capabilities = await capabilitiesOf(lines)
  if (!target.isSecure && capabilities.has('STLS')) {
    if (!(await ask(lines, 'STLS')).isOk) throw new AppError('tls-failed', `${host} offers TLS, but refused to begin.`)
    await lines.secure(tls)
    capabilities = await capabilitiesOf(lines)
  }
  if (!lines.isSecure && !mayBePlain(address, options))
    throw new AppError('tls-failed', `${host} offers no secure connection, and passwords are not sent without one.`)
  const stamp = lines.isSecure ? undefined : /<[^<>\s]+@[^<>\s]+>/.exec(greeting.text)?.[0]
  await authenticate(lines, credentials, stamp, host)
  const afterwards = await capabilitiesOf(lines)
  return afterwards.size === 0 ? capabilities : afterwards
}

/** With USER and PASS; on an unencrypted connection with APOP, which hides the password, if the server offers it. */
async function authenticate(
  lines: LineConnection,
  { user, password }: SignIn['credentials'],
  stamp: string | undefined,
  host: string,
): Promise<void> {
  if (stamp !== undefined) {
    const digest = createHash('md5')
      .update(stamp + password, 'utf8')
      .digest('hex')
    return accepted(await ask(lines, `APOP ${latin1(user)} ${digest}`), host)
  }
  accepted(await ask(lines, `USER ${latin1(user)}`), host)
  accepted(await ask(lines, `PASS ${latin1(password)}`), host)
}

/** UTF-8 (RFC 6856) as one character per byte, since lines are written as latin1. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

function accepted({ isOk, text }: Reply, host: string): void {
  if (isOk) return
  if (/^\[(?:IN-USE|LOGIN-DELAY|SYS\/\w+)\]/i.test(text) || /\b(?:in use|locked|busy|try again)\b/i.test(text))
    throw new AppError('connect-failed', `The mailbox on ${host} is in use, or can't be opened at the moment.`)
  throw new AppError('sign-in-failed', `${host} refused the user name or the password.`)
}

async function ask(lines: LineConnection, command: string): Promise<Reply> {
  lines.write(command)
  return await replyOf(lines)
}

async function replyOf(lines: LineConnection): Promise<Reply> {
  const line = await lines.readLine()
  const found = /^(\+OK|-ERR)(?:\s+(.*))?$/i.exec(line)
  if (found === null) throw new AppError('protocol-failed', 'The server does not speak POP3.')
  return { isOk: found[1]!.startsWith('+'), text: found[2] ?? '' }
}

/** Empty if the server doesn't support CAPA. */
async function capabilitiesOf(lines: LineConnection): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (!(await ask(lines, 'CAPA')).isOk) return found
  await lines.readLines((line) => {
    if (found.size < 100) found.add(line.split(' ')[0]!.toUpperCase())
  })
  return found
}

type ClientDeps = {
  connection: LineConnection
  capabilities: ReadonlySet<string>
  address: string
  run<T>(task: () => Promise<T>): Promise<T>
}

function pop3Client({ connection, capabilities, address, run }: ClientDeps): Pop3Client {
  /** Lines of a number and a word, sorted by number. */
  async function entriesOf(command: string): Promise<Pop3Entry[] | null> {
    if (!(await ask(connection, command)).isOk) return null
    let entries: Pop3Entry[] = []
    await connection.readLines((line) => {
      const found = /^\s*(\d{1,9})\s+([\x21-\x7e]{1,250})(?:\s|$)/.exec(line)
      if (found === null) throw new AppError('protocol-failed', `${command} was answered with something else.`)
      entries.push({ number: Number(found[1]), id: found[2]! })
      // Keep the newest, which are the last.
      if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries)
    })
    return entries.sort((a, b) => a.number - b.number)
  }

  const messageOf = async (maxBytes: number): Promise<Pop3Message | null> =>
    (await replyOf(connection)).isOk ? await connection.readBlock(maxBytes) : null

  async function retrieve(numbers: readonly number[], maxBytes: number): Promise<(Pop3Message | null)[]> {
    const atOnce = capabilities.has('PIPELINING')
    const found: (Pop3Message | null)[] = []
    if (atOnce) for (const number of numbers) connection.write(`RETR ${number}`)
    for (const number of numbers) {
      if (!atOnce) connection.write(`RETR ${number}`)
      found.push(await messageOf(maxBytes))
    }
    return found
  }

  return {
    address,
    hasTop: capabilities.has('TOP'),
    ids: () => run(() => entriesOf('UIDL')),
    sizes: () =>
      run(async () => new Map((await entriesOf('LIST'))?.map(({ number, id }) => [number, Number.parseInt(id, 10)]))),
    top: (number, count, maxBytes) =>
      run(async () => {
        connection.write(`TOP ${number} ${count}`)
        return await messageOf(maxBytes)
      }),
    retrieve: (numbers, maxBytes) => run(() => retrieve(numbers, maxBytes)),
    async close() {
      const goodbye = run(async () => void (await ask(connection, 'QUIT'))).catch(() => {})
      await withinLimit(goodbye, goodbyeMs, () => {})
      connection.destroy()
    },
  }
}
