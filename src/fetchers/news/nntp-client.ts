import { AppError } from '../../core/errors.ts'
import { LineSocket, type LineSocketOptions } from './line-socket.ts'

/** A response of an NNTP server (RFC 3977). */
export type Reply = { code: number; text: string }
export type Group = { low: number; high: number }
/** One line of an overview. */
export type Overview = {
  number: number
  id: string
  subject: Buffer
  /** Size of the article; null if the server doesn't say. */
  bytes: number | null
}
export type Article = { id: string; body: Buffer; isCut: boolean }

export type NntpOptions = LineSocketOptions & {
  secret: { user: string; password: string } | null
  /** Whether credentials may be sent without TLS. */
  allowsPlainSignIn: boolean
}

/** 512 in the standard; capability lists and friendly greetings are sometimes longer. */
const maxReplyBytes = 4096
const maxListLines = 1000
/** Long threads have long lines of references. */
const maxOverviewLine = 64 * 1024
const maxOverviewBytes = 64 * 1024 * 1024
const maxSubjectBytes = 4096

/** A client of a news server. Not for concurrent commands. */
export class NntpClient {
  private capabilities = new Map<string, string[]>()
  private isOld = false
  private isSignedIn = false
  /** The server answers nothing before the sign-in. */
  private isLocked = false
  private fields: Fields | null = null
  private overCommand: 'OVER' | 'XOVER' | null = null
  private readonly lines: LineSocket
  private readonly options: NntpOptions

  private constructor(lines: LineSocket, options: NntpOptions) {
    this.lines = lines
    this.options = options
  }

  get address(): string {
    return this.lines.address
  }

  get isUsable(): boolean {
    return this.lines.isUsable
  }

  /** Connects, switches to reader mode, and signs in if there are credentials, over TLS if possible. */
  static async open(options: NntpOptions): Promise<NntpClient> {
    const client = new NntpClient(await LineSocket.connect(options), options)
    try {
      await client.greet()
      if (options.secret !== null) await client.signIn(options.secret)
    } catch (error) {
      client.close('')
      throw error
    }
    return client
  }

  private async greet(): Promise<void> {
    expect(await this.reply(), [200, 201], 'the greeting')
    await this.startReading()
  }

  private async startReading(): Promise<void> {
    await this.askCapabilities()
    if (this.isLocked || (!this.isOld && !this.capabilities.has('MODE-READER'))) return
    const { code, text } = await this.ask('MODE READER')
    this.isLocked = this.wantsSignIn(code)
    // Old servers have no modes.
    if (this.isLocked || (code >= 500 && code !== 502)) return
    expect({ code, text }, [200, 201], 'MODE READER')
    if (!this.isOld) await this.askCapabilities()
  }

  private async askCapabilities(): Promise<void> {
    const { code } = await this.ask('CAPABILITIES')
    this.isOld = code !== 101
    this.isLocked ||= this.wantsSignIn(code)
    this.capabilities = new Map()
    if (this.isOld) {
      if (code < 500 && !this.isLocked) expect({ code, text: '' }, [101], 'CAPABILITIES')
      return
    }
    for (const line of await this.list()) {
      const [name = '', ...values] = line.trim().toUpperCase().split(/\s+/)
      this.capabilities.set(name, values)
    }
  }

  /** Whether a refused command may work after the sign-in, which is still to come. */
  private wantsSignIn(code: number): boolean {
    return code === 480 && this.options.secret !== null && !this.isSignedIn
  }

  private async startTls(): Promise<void> {
    expect(await this.ask('STARTTLS'), [382], 'STARTTLS')
    await this.lines.secure()
    // Anyone could have forged the capabilities sent before TLS.
    await this.askCapabilities()
  }

  private async signIn({ user, password }: { user: string; password: string }): Promise<void> {
    if (!this.lines.isSecure) {
      if (this.capabilities.has('STARTTLS')) await this.startTls()
      else if (!this.options.allowsPlainSignIn)
        throw new AppError('tls-failed', 'the server offers no encryption, so that credentials are not sent to it')
    }
    const first = await this.ask(`AUTHINFO USER ${user}`)
    const { code } = first.code === 381 ? await this.ask(`AUTHINFO PASS ${password}`) : first
    if (code !== 281) throw signInError(code)
    this.isSignedIn = true
    if (this.isLocked) {
      this.isLocked = false
      await this.startReading()
    } else if (!this.isOld) await this.askCapabilities()
  }

  /** Null if there is no such group. */
  async group(name: string): Promise<Group | null> {
    let reply = await this.ask(`GROUP ${bytesOf(name)}`)
    if (reply.code === 483 && !this.lines.isSecure && this.capabilities.has('STARTTLS')) {
      await this.startTls()
      reply = await this.ask(`GROUP ${bytesOf(name)}`)
    }
    if (reply.code === 411) return null
    expect(reply, [211], 'GROUP')
    const found = /^(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})(?:\s|$)/.exec(reply.text)
    const [count, low, high] = (found?.slice(1) ?? []).map(Number)
    if (count === undefined || low === undefined || high === undefined || !Number.isSafeInteger(high))
      throw new AppError('protocol-failed', 'the answer to GROUP is not one')
    return count === 0 || high < low ? { low: high + 1, high } : { low, high }
  }

  /** Sorted by number. Lines without a valid article are skipped. */
  async overview(from: number, to: number): Promise<Overview[]> {
    this.fields ??= await this.overviewFields()
    if (!(await this.askOverview(`${from}-${to}`))) return []
    const found: Overview[] = []
    for (let left = maxOverviewBytes; ; ) {
      const line = await this.blockLine(maxOverviewLine)
      if (line === null) break
      if (line === 'too-long') throw this.failed('a line of the overview is too long')
      left -= line.length + 2
      if (left < 0) throw this.failed('the overview is too long')
      const entry = overviewOf(line, this.fields)
      if (entry === null || entry.number < from || entry.number > to) continue
      if (found.length > to - from) throw this.failed('the server lists more articles than it can have')
      found.push(entry)
    }
    return found.sort((a, b) => a.number - b.number)
  }

  /** Sends the command. False if there are no articles. */
  private async askOverview(range: string): Promise<boolean> {
    const others: readonly ('OVER' | 'XOVER')[] = this.capabilities.has('OVER') ? ['OVER', 'XOVER'] : ['XOVER', 'OVER']
    const commands = this.overCommand === null ? others : [this.overCommand]
    for (const command of commands) {
      const reply = await this.ask(`${command} ${range}`)
      if (reply.code === 500 && this.overCommand === null) continue
      this.overCommand = command
      // Some servers, which count from the current article, answer 420.
      if (reply.code === 423 || reply.code === 420) return false
      expect(reply, [224], command)
      return true
    }
    throw new AppError('protocol-failed', 'the server has no overview of its articles')
  }

  private async overviewFields(): Promise<Fields> {
    const { code } = await this.ask('LIST OVERVIEW.FMT')
    if (code !== 215) {
      expect({ code, text: '' }, [500, 501, 502, 503], 'LIST OVERVIEW.FMT')
      return usualFields
    }
    const names = (await this.list()).map((line) => line.trim().toLowerCase())
    const [subject, id] = [names.indexOf('subject:') + 1, names.indexOf('message-id:') + 1]
    const bytes = names.findIndex((name) => name === ':bytes' || name === 'bytes:') + 1
    return subject === 0 || id === 0 ? usualFields : { subject, id, bytes: bytes === 0 ? null : bytes }
  }

  /** The id of an article; null if it doesn't exist. */
  async stat(article: string | number): Promise<string | null> {
    const reply = await this.ask(`STAT ${article}`)
    if (isMissing(reply.code)) return null
    expect(reply, [223], 'STAT')
    return idIn(reply.text)
  }

  /** Null if it doesn't exist (any more). A longer article is truncated, and the connection closed instead of reading the rest. */
  async article(article: string | number, maxBytes: number): Promise<Article | null> {
    this.send(`ARTICLE ${article}`)
    return await this.articleAnswer(maxBytes)
  }

  /**
   * Fetches several articles with pipelining (RFC 3977, 3.5): servers that send a response in pieces often hold back the last one until
   * the first has arrived, which costs 40 ms for each article requested by itself. A truncated article is the last one returned. On errors
   * the connection is closed: the remaining responses would be taken for those of the next command.
   */
  async articles(ids: readonly string[], maxBytes: number): Promise<(Article | null)[]> {
    for (const id of ids) this.send(`ARTICLE ${id}`)
    const found: (Article | null)[] = []
    try {
      while (found.length < ids.length && found.at(-1)?.isCut !== true) found.push(await this.articleAnswer(maxBytes))
      return found
    } catch (error) {
      if (found.length < ids.length - 1) this.close('')
      throw error
    }
  }

  private async articleAnswer(maxBytes: number): Promise<Article | null> {
    const reply = await this.reply()
    if (isMissing(reply.code)) return null
    expect(reply, [220], 'ARTICLE')
    const parts: Buffer[] = []
    let length = 0
    for (;;) {
      const line = await this.blockLine(maxBytes - length)
      if (line === null) break
      if (line === 'too-long' || length + line.length + 2 > maxBytes) {
        this.close('')
        return { id: idIn(reply.text), body: Buffer.concat(parts, length), isCut: true }
      }
      parts.push(Buffer.from(line), newLine)
      length += line.length + 2
    }
    return { id: idIn(reply.text), body: Buffer.concat(parts, length), isCut: false }
  }

  close(lastWord = 'QUIT\r\n'): void {
    this.lines.close(lastWord)
  }

  private async ask(command: string): Promise<Reply> {
    this.send(command)
    return await this.reply()
  }

  private send(command: string): void {
    if (/[\r\n\0]/.test(command)) throw new AppError('url-invalid', 'a line break in a name')
    this.lines.write(`${command}\r\n`)
  }

  private async reply(): Promise<Reply> {
    const line = (await this.lines.line(maxReplyBytes))?.toString('latin1')
    const found = line === undefined ? null : /^([1-5]\d\d)(?:[ \t]+(.*))?$/.exec(line)
    if (found === null) throw this.failed('the server does not speak NNTP')
    return { code: Number(found[1]), text: found[2] ?? '' }
  }

  /** A line of a multi-line block; null at its end. */
  private async blockLine(maxBytes: number): Promise<Buffer | 'too-long' | null> {
    const line = await this.lines.line(maxBytes + 1)
    if (line === null) return 'too-long'
    if (line[0] !== dot) return line.length > maxBytes ? 'too-long' : line
    return line.length === 1 ? null : line.subarray(1)
  }

  private async list(): Promise<string[]> {
    const found: string[] = []
    for (;;) {
      const line = await this.blockLine(maxReplyBytes)
      if (line === null) return found
      if (line === 'too-long' || found.length >= maxListLines) throw this.failed('the server sends a list without end')
      found.push(line.toString('latin1'))
    }
  }

  /** Closes the connection, which is unusable after this error. */
  private failed(message: string): AppError {
    this.close('')
    return new AppError('protocol-failed', message)
  }
}

const dot = 0x2e
const tab = 0x09
const newLine = Buffer.from('\r\n')

/** Positions of fields in a line of the overview; the number is the first. */
type Fields = { subject: number; id: number; bytes: number | null }
const usualFields: Fields = { subject: 1, id: 4, bytes: 6 }

const messageId = /^<[^\s<>\p{Cc}]{1,248}>$/u

function overviewOf(line: Buffer, { subject, id, bytes }: Fields): Overview | null {
  const fields = split(line, Math.max(subject, id, bytes ?? 0) + 1)
  const number = numberIn(fields[0])
  const found = fields[id]?.toString('latin1').trim() ?? ''
  if (number === null || !messageId.test(found)) return null
  const text = Buffer.from(fields[subject]!.subarray(0, maxSubjectBytes))
  return { number, id: found, subject: text, bytes: bytes === null ? null : numberIn(fields[bytes]) }
}

function numberIn(field: Buffer | undefined): number | null {
  const text = field?.toString('latin1') ?? ''
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null
}

/** At most `count` fields. */
function split(line: Buffer, count: number): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; fields.length < count; ) {
    const end = line.indexOf(tab, at)
    fields.push(line.subarray(at, end === -1 ? line.length : end))
    if (end === -1) break
    at = end + 1
  }
  return fields
}

const idIn = (text: string): string => /<[^<>\s]+>/.exec(text)?.[0] ?? ''

/** No article with this number or id, or none in the group. */
const isMissing = (code: number): boolean => code === 423 || code === 430 || code === 420 || code === 422

/** UTF-8 as one character per byte, since lines are written as latin1. */
const bytesOf = (name: string): string => Buffer.from(name, 'utf8').toString('latin1')

/** Messages don't quote the server's text, which may quote ours. */
function expect({ code }: Reply, wanted: readonly number[], what: string): void {
  if (wanted.includes(code)) return
  if (code === 400) throw new AppError('connect-failed', 'the news server is not available now')
  if (code === 480) throw new AppError('sign-in-failed', 'the news server asks for a user and a password')
  if (code === 483) throw new AppError('tls-failed', 'the news server asks for encryption; try nntps')
  if (code === 502) throw new AppError('sign-in-failed', 'the news server allows no access')
  throw new AppError('protocol-failed', `the news server answered ${what} with ${code}`)
}

function signInError(code: number): AppError {
  if (code === 400 || code === 403) return new AppError('connect-failed', 'the news server is not available now')
  if (code === 483) return new AppError('tls-failed', 'the news server asks for encryption; try nntps')
  return new AppError('sign-in-failed', 'the news server refused the user or the password')
}
