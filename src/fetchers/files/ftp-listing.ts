import type { Client, FileInfo, FTPResponse } from 'basic-ftp'
import type { Item, List } from '../../crawl/fetch/protocol.ts'
import type { FtpConnection } from './ftp-client.ts'
import { type FtpUrl, ftpUrlText } from './ftp-url.ts'
import { nameText } from './path-bytes.ts'

/**
 * The current folder as a list. The validator of a file is its size and time: exact to the second if the server supports MLSD or MDTM,
 * otherwise as listed, to the minute at best.
 */
export async function listCurrent(connection: FtpConnection, url: FtpUrl, maxItems: number): Promise<List> {
  const { client } = connection
  const { parseList } = await import('basic-ftp')
  client.parseList = (text) => parseList(withoutBrokenTimes(text))
  const all = await client.list()
  const isMlsd = client.availableListCommands[0] === 'MLSD'
  const usable = all.filter(isUsable).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const entries = uniqueByName(usable).slice(0, maxItems)
  const { items, left } = await itemsOf(connection, {
    url,
    files: entries.filter(({ isDirectory }) => !isDirectory),
    isMlsd,
  })
  const lists = entries
    .filter(({ isDirectory }) => isDirectory)
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

/** The file at the path; undefined if it isn't a file. */
export async function findFile({ client }: FtpConnection, url: FtpUrl, path: string): Promise<Item | undefined> {
  const [size, time] = await askAll(client, [`SIZE ${path}`, `MDTM ${path}`])
  if (size?.code !== 213) return undefined
  const name = url.names.at(-1)?.toString('latin1') ?? ''
  return { url: ftpUrlText(url), name: shown(name), validator: validatorOf(sizeIn(size), timeIn(time)) }
}

type Files = { url: FtpUrl; files: readonly FileInfo[]; isMlsd: boolean }

async function itemsOf(
  { client, canTellTimes }: FtpConnection,
  { url, files, isMlsd }: Files,
): Promise<{ items: Item[]; left: number }> {
  // For links and unknown types, only SIZE tells whether it is a file.
  const unsure = files.filter(({ isFile }) => !isFile)
  const sizes = await askAll(
    client,
    unsure.map(({ name }) => `SIZE ${name}`),
  )
  const sized = new Map(
    unsure.flatMap(({ name }, at) => (sizes[at]?.code === 213 ? [[name, sizeIn(sizes[at])] as const] : [])),
  )
  const known = files.filter(({ isFile, name }) => isFile || sized.has(name))
  const timed = isMlsd && known.every(({ isFile }) => isFile) ? [] : known
  const times = canTellTimes
    ? await askAll(
        client,
        timed.map(({ name }) => `MDTM ${name}`),
      )
    : []
  const items = known.map((file, at) => {
    const time = timeIn(times[at]) ?? file.rawModifiedAt
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
  const [, year, month, day, hours, minutes, seconds, parts = ''] =
    (reply?.code === 213 && /^213 (\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,3}))?/.exec(reply.message)) || []
  return year === undefined
    ? undefined
    : `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${parts.padEnd(3, '0')}Z`
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

/** Removes facts that the library would turn into invalid dates. */
function withoutBrokenTimes(text: string): string {
  return text.replace(/(^|;)modify=(?!\d{14}(?:\.\d+)?;)[^;\s]*;/gim, '$1')
}

/** Whether a name can be sent in a command and stays in its folder. */
function isUsable({ name }: FileInfo): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[\r\n\0/]/.test(name)
}

function uniqueByName(files: readonly FileInfo[]): FileInfo[] {
  return [...new Map(files.map((file) => [file.name, file])).values()]
}

const shown = (name: string): string => nameText(Buffer.from(name, 'latin1'))

function urlOf(folder: FtpUrl, name: string, isFolder: boolean): string {
  return ftpUrlText({ ...folder, names: [...folder.names, Buffer.from(name, 'latin1')], isFolder })
}
