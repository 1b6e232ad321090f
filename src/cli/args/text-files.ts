import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'

/** Room for a block list of millions of hosts; more than that is a mistake. */
const MAX_BYTES = 256_000_000

/** Reads a file that was named on the command line; null with a fault noted when that cannot be done. */
export async function readTextFile(
  path: string,
  { cwd, place, errors }: { cwd: string; place: string; errors: ValidationError[] },
): Promise<string | null> {
  try {
    const full = resolve(cwd, path)
    const { size } = await stat(full)
    if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(full))
  } catch (error) {
    errors.push({ place, message: reasonOf(error as NodeJS.ErrnoException) })
    return null
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EACCES':
      return 'the file may not be read'
    case 'EISDIR':
      return 'is a folder'
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text'
    default:
      return message
  }
}

/** Lines without comments, blanks and what is around them, each with its number in the file. */
export function* contentLines(text: string): Generator<{ number: number; line: string }> {
  let number = 0
  for (const raw of text.split('\n')) {
    number++
    const line = raw.trim()
    if (line !== '' && !line.startsWith('#')) yield { number, line }
  }
}
