import { unzipSync } from 'fflate'
import { Unreadable } from './converter.ts'

/** The files of a ZIP archive of which not more is taken out than it may hold. Throws `Unreadable`. */
export type ZipFiles = {
  readonly names: ReadonlySet<string>
  /** Those of the files that are there. */
  take(names: readonly string[]): Map<string, Buffer>
}

const maxFiles = 10_000
/** Of all files that are taken out, not of the archive. */
const maxTakenBytes = 64 * 1024 * 1024

const compoundMark = Buffer.from('d0cf11e0a1b11ae1', 'hex')

export function openZip(body: Buffer): ZipFiles {
  // Office documents with a password are in another container.
  if (body.subarray(0, compoundMark.length).equals(compoundMark)) throw new Unreadable('encrypted')
  const names = new Set<string>()
  let files = 0
  unzip(body, ({ name }) => {
    if (++files > maxFiles) throw new Unreadable('too-large', `more than ${maxFiles} files`)
    names.add(name)
    return false
  })
  let left = maxTakenBytes
  return {
    names,
    take(wanted) {
      const asked = new Set(wanted)
      const taken = unzip(body, ({ name, originalSize }) => {
        // The size is what the archive says; a file that has more in truth is cut there.
        if (asked.has(name)) left -= originalSize
        if (left < 0) throw new Unreadable('too-large', `more than ${maxTakenBytes} bytes`)
        return asked.has(name)
      })
      return new Map(
        Object.entries(taken).map(([name, bytes]) => [name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]),
      )
    },
  }
}

function unzip(
  body: Buffer,
  filter: (file: { name: string; originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return unzipSync(body, { filter })
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable('damaged', error instanceof Error ? error.message : String(error))
  }
}
