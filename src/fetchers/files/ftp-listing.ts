import type { Client, FTPResponse } from 'basic-ftp'
import { AppError } from '../../core/errors.ts'
import type { Item, List } from '../../crawl/fetch/protocol.ts'
import type { FtpConnection } from './ftp-client.ts'
import { type Entry, entriesIn, timeOf } from './ftp-lines.ts'
import { type FtpUrl, ftpUrlText } from './ftp-url.ts'
import { nameText } from './path-bytes.ts'

/**
 * The current folder as a list. The validator of a file is its size and time: exact to the second if the server supports MLSD or MDTM,
 * otherwise as listed, to the minute at best.
 */
export async function listCurrent(connection: FtpConnection, url: FtpUrl, maxItems: number): Promise<List> {
  const { entries: all, isMlsd } = await askList(connection.client)
  const usable = all.filter(isUsable).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const entries = uniqueByName(usable).slice(0, maxItems)
  const { items, left } = await itemsOf(connection, {
    url,
    files: entries.filter(({ kind }) => kind !== 'folder'),
    isMlsd,
  })
  const lists = entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ name }) => ({ url: urlOf(url, name, true), name: shown(name) }))
  const isCapped = usable.length > entries.length && entries.length === maxItems
  return {
    kind: 'list',
    title: shown(url.names.at(-1)?.toString('latin1') ?? url.host),
    items,
    lists,
    isWhole: !isCapped,
    cursor: '',
    hasMore: false,
    left: [
      ...(isCapped ? [`The folder has ${usable.length} entries; only ${maxItems} are read.`] : []),
      ...(left + all.length - usable.length > 0
        ? [`Left out: ${left + all.length - usable.length} links to folders, or entries with invalid names.`]
        : []),
    ].join(' '),
  }
}

/** Asks with each command in turn until one works, which is the only one from then on. */
async function askList(client: Client): Promise<{ entries: Entry[]; isMlsd: boolean }> {
  const { FTPError } = await import('basic-ftp')
  const commands = client.availableListCommands
  let failure: unknown
  for (const command of commands) {
    let text = ''
    client.parseList = (given) => {
      text = given
      return []
    }
    client.availableListCommands = [command]
    try {
      await client.list()
    } catch (error) {
      client.availableListCommands = commands
      if (!(error instanceof FTPError)) throw error
      if (failure !== null) failure = error
      continue
    }
    const isMlsd = command === 'MLSD'
    // A server that doesn't know `-a` may look for a file of this name; others list at least the folder itself.
    if (command === 'LIST -a' && text.trim() === '' && commands.length > 1) {
      client.availableListCommands = commands
      failure = null
      continue
    }
    const entries = entriesIn(text, isMlsd)
    if (entries !== null) return { entries, isMlsd }
    client.availableListCommands = commands
    failure = new AppError('protocol-failed', 'the format of the listing is not known')
    // Only MLSD has a format that a server can fail to keep to while another command works.
    if (!isMlsd) break
  }
  if (failure === null) return { entries: [], isMlsd: false }
  throw failure
}

/** What is at the path: maybe a file, if the server can't tell sizes; undefined if it isn't one. */
export async function findFile(
  { client }: FtpConnection,
  url: FtpUrl,
  path: string,
): Promise<{ item: Item; isSure: boolean } | undefined> {
  const [size, time] = await askAll(client, [`SIZE ${path}`, `MDTM ${path}`])
  const isSure = size?.code === 213
  if (!isSure && size?.code !== 500 && size?.code !== 502) return undefined
  const name = url.names.at(-1)?.toString('latin1') ?? ''
  const validator = isSure ? validatorOf(sizeIn(size), timeIn(time)) : ''
  return { item: { url: ftpUrlText(url), name: shown(name), validator }, isSure }
}

type Files = { url: FtpUrl; files: readonly Entry[]; isMlsd: boolean }

async function itemsOf(
  { client, canTellTimes }: FtpConnection,
  { url, files, isMlsd }: Files,
): Promise<{ items: Item[]; left: number }> {
  // For links and unknown types, only SIZE tells whether it is a file.
  const unsure = files.filter(({ kind }) => kind !== 'file')
  const sizes = await askAll(
    client,
    unsure.map(({ name }) => `SIZE ${name}`),
  )
  const sized = new Map(
    unsure.flatMap(({ name }, at) => (sizes[at]?.code === 213 ? [[name, sizeIn(sizes[at])] as const] : [])),
  )
  const known = files.filter(({ kind, name }) => kind === 'file' || sized.has(name))
  const timed = isMlsd && known.every(({ kind }) => kind === 'file') ? [] : known
  const times = canTellTimes
    ? await askAll(
        client,
        timed.map(({ name }) => `MDTM ${name}`),
      )
    : []
  const items = known.map((file, at) => {
    const time = timeIn(times[at]) ?? file.time
    const validator = validatorOf(sized.get(file.name) ?? file.size, time)
    return { url: urlOf(url, file.name, false), name: shown(file.name), validator }
  })
  return { items, left: files.length - known.length }
}

/** Empty without a time, since equal sizes prove nothing. */
function validatorOf(size: number, time: string | undefined): string {
  return time === undefined || time === '' || !Number.isFinite(size) ? '' : `${size} ${time}`
}

const sizeIn = ({ message }: FTPResponse): number => Number.parseInt(message.slice(4), 10)

/** In the format of MLSD, so that validators stay the same if a server starts to support it. */
function timeIn(reply: FTPResponse | undefined): string | undefined {
  const [, time = ''] = (reply?.code === 213 && /^213[ \t]+([\d.]+)/.exec(reply.message)) || []
  return timeOf(time) || undefined
}

const inFlight = 16

/** Pipelines commands: otherwise a folder of a thousand files would take a thousand round trips. */
export async function askAll(client: Client, commands: readonly string[]): Promise<FTPResponse[]> {
  if (commands.length === 0) return []
  const { FTPError } = await import('basic-ftp')
  const replies: FTPResponse[] = []
  let sent = 1
  return client.ftp.handle(commands[0], (reply, task) => {
    if (reply instanceof FTPError) replies.push({ code: reply.code, message: reply.message })
    else if (reply instanceof Error) return task.reject(reply)
    else replies.push(reply)
    if (replies.length === commands.length) return task.resolve(replies)
    while (sent < commands.length && sent - replies.length < inFlight) client.ftp.send(commands[sent++]!)
  })
}

/** Whether a name can be sent in a command and stays in its folder. */
function isUsable({ name }: Entry): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[\r\n\0/]/.test(name)
}

function uniqueByName(files: readonly Entry[]): Entry[] {
  return [...new Map(files.map((file) => [file.name, file])).values()]
}

const shown = (name: string): string => nameText(Buffer.from(name, 'latin1'))

function urlOf(folder: FtpUrl, name: string, isFolder: boolean): string {
  return ftpUrlText({ ...folder, names: [...folder.names, Buffer.from(name, 'latin1')], isFolder })
}
