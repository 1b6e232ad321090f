import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withoutAccess } from '../../core/url/access.ts'
import { digestText } from '../../core/url/fingerprint.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { BodyReader } from '../body-reader.ts'
import { markdownName } from '../markdown/markdown-name.ts'
import { frontMatter } from '../markdown/markdown-text.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import { failureWords } from '../media/converter.ts'
import type { ExportWork } from './export-work.ts'
import { selectVersions } from './selection.ts'

type Fields = { url: string; title: string; captured: string; version: number; digest: string }

/** The documents as Markdown, one JSON object per line: for `.jsonl` files and standard output. */
export async function exportMarkdownLines(work: ExportWork, bodies: BodyReader): Promise<void> {
  for await (const version of documentsOf(work)) {
    const markdown = await markdownOf(version, work, bodies)
    if (markdown === null) continue
    const line = `${JSON.stringify({ ...fieldsOf(version), markdown })}\n`
    await work.target.write(line)
    work.stats.count(Buffer.byteLength(line))
  }
}

/**
 * The documents as Markdown files in a folder, with front matter. An existing file with the same content is left alone, so that a later
 * export writes only what has changed; nothing is ever removed. Returns the number of bytes written.
 */
export async function exportMarkdownFiles(
  work: Omit<ExportWork, 'target'>,
  bodies: BodyReader,
  folder: string,
): Promise<number> {
  let bytes = 0
  const isCurrent = work.request.selection.currentOnly
  for await (const version of documentsOf(work)) {
    const file = join(folder, markdownName(withoutAccess(version.url), isCurrent ? null : version.n))
    const head = frontMatter(fieldsOf(version))
    if (await beginsWith(file, head)) {
      work.stats.count(0)
      continue
    }
    const markdown = await markdownOf(version, work, bodies)
    if (markdown === null) continue
    await mkdir(dirname(file), { recursive: true })
    const text = head + markdown
    await replaceFile(file, text)
    const length = Buffer.byteLength(text)
    bytes += length
    work.stats.count(length)
  }
  return bytes
}

async function* documentsOf({ versions, request }: Pick<ExportWork, 'versions' | 'request'>): AsyncGenerator<Version> {
  for await (const version of selectVersions(versions, request.selection)) if (version.body === 'kept') yield version
}

/** Null if there is no text, or it can't be read. */
async function markdownOf(
  version: Version,
  { stats }: Pick<ExportWork, 'stats'>,
  bodies: BodyReader,
): Promise<string | null> {
  const found = await bodies.readText(version)
  const leaveOut = (message: string): null => {
    stats.leaveOut({ url: withoutAccess(version.url), version: version.n, message })
    return null
  }
  if (found.kind === 'damaged') return leaveOut(found.message)
  if (found.kind === 'absent') return null
  const { body, contentType, unreadable } = found
  if (unreadable !== undefined) return leaveOut(failureWords[unreadable])
  return toMarkdown({ body, contentType, url: withoutAccess(version.url) })?.markdown ?? null
}

function fieldsOf({ url, title, firstSeenAt, n, digest }: Version): Fields {
  const captured = new Date(firstSeenAt).toISOString()
  return { url: withoutAccess(url), title: title.toWellFormed(), captured, version: n, digest: digestText(digest) }
}

async function beginsWith(file: string, text: string): Promise<boolean> {
  const wanted = Buffer.from(text)
  try {
    await using handle = await open(file, 'r')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted.length), 0, wanted.length, 0)
    return bytesRead === wanted.length && buffer.equals(wanted)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Atomic: the file is the old one or the new one, however the export ends. */
async function replaceFile(file: string, text: string): Promise<void> {
  const part = `${file}.part`
  try {
    await writeFile(part, text)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
