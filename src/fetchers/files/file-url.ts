import { AppError } from '../../core/errors.ts'
import { decodeSegment, encodeName } from './path-bytes.ts'

const slash = Buffer.from('/')

/** The one spelling of a `file:` URL. Throws `url-invalid`. */
export function normaliseFileUrl(url: string): string {
  const { path, isFolder } = filePathOf(url)
  return fileUrlOf(path, isFolder)
}

/** An absolute path, without a slash at its end except that of the root, and whether the URL ends with one. */
export function filePathOf(url: string): { path: Buffer; isFolder: boolean } {
  if (/\p{Cc}/u.test(url)) throw wrong('it has control characters; write them as %0A and the like')
  const rest = /^file:(?:\/\/(?:localhost)?)?(\/.*)$/i.exec(url)?.[1]
  if (rest === undefined) throw wrong('write it as file:///folder/file')
  if (/[?#]/.test(rest)) throw wrong('write ? as %3F and # as %23')
  const names: Buffer[] = []
  for (const segment of rest.split('/')) {
    if (segment === '') continue
    const name = decodeSegment(segment)
    if (name === undefined) throw wrong('write % as %25')
    if (name.includes(0) || name.includes(0x2f)) throw wrong('a name can have neither %00 nor %2F')
    if (name.equals(Buffer.from('.')) || name.equals(Buffer.from('..'))) throw wrong('. and .. are not allowed in it')
    names.push(name)
  }
  return { path: Buffer.concat([slash, joined(names)]), isFolder: rest.endsWith('/') }
}

export function fileUrlOf(path: Buffer, isFolder: boolean): string {
  const url = `file://${path
    .toString('latin1')
    .split('/')
    .map((name) => encodeName(Buffer.from(name, 'latin1')))
    .join('/')}`
  return isFolder && !url.endsWith('/') ? `${url}/` : url
}

function joined(names: readonly Buffer[]): Buffer {
  return Buffer.concat(names.flatMap((name, at) => (at === 0 ? [name] : [slash, name])))
}

function wrong(what: string): AppError {
  return new AppError('url-invalid', `not the URL of a file or folder: ${what}`)
}
