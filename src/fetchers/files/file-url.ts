import { AppError } from '../../core/errors.ts'
import { encodeName, namesIn } from './path-bytes.ts'

const slash = Buffer.from('/')

/** The canonical form of a `file:` URL. Throws `url-invalid`. */
export function normaliseFileUrl(url: string): string {
  const { path, isFolder } = filePathOf(url)
  return fileUrlOf(path, isFolder)
}

/** The absolute path, without a trailing slash (except for the root), and whether the URL ends with one. */
export function filePathOf(url: string): { path: Buffer; isFolder: boolean } {
  if (/\p{Cc}/u.test(url)) throw wrong('it has control characters; write them as %0A and the like')
  const rest = /^file:(?:\/\/(?:localhost)?(?=\/)|(?!\/\/))(\/.*)$/i.exec(url)?.[1]
  if (rest === undefined) throw wrong('write it as file:///folder/file')
  const names = namesIn(rest, wrong)
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
