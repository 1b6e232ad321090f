import { unzipSync } from 'fflate'
import { Unreadable } from './converter.ts'

/** The files of a ZIP archive, extracted up to a maximum size. Throws `Unreadable`. */
export type ZipFiles = {
  readonly names: ReadonlySet<string>
  /** Extracts those of the files that exist. */
  take(names: readonly string[]): Map<string, Buffer>
}

const maxFiles = 10_000
/** Maximum size of all extracted files together. */
const maxTakenBytes = 64 * 1024 * 1024

const compoundMark = Buffer.from('d0cf11e0a1b11ae1', 'hex')

export function openZip(body: Buffer): ZipFiles {
  // Password-protected Office documents use another container format.
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
        // This is the declared size; a file that is really larger is cut there.
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
