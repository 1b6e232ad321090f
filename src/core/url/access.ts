import { hash } from 'node:crypto'

/**
 * How a source is asked for: by which program, and in whose name. It is part of the URL wherever a source is watched, queued or kept,
 * as the user of the URL (`https://~b@example.org/`, `imap://~5f0c…@example.org/INBOX`): what was read with somebody's
 * credentials is another document than what everybody may read, and links within a site inherit it. It is never sent anywhere.
 */
export type Access = {
  render: Render
  /** Id of the credentials; '' for none. */
  credentials: string
}

export const renders = ['http', 'browser'] as const
export type Render = (typeof renders)[number]

export const openAccess: Access = { render: 'http', credentials: '' }

const user = /^([a-z][a-z0-9+.-]*:\/\/)(~(?:b|(?:b-)?[0-9a-f]{24}))@/

/** The credentials of an owner under a name: the same wherever it is asked, and nobody else's. */
export function credentialsId(owner: string, name: string): string {
  return name === '' ? '' : hash('sha256', JSON.stringify([owner, name])).slice(0, 24)
}

/** A URL without access, as it is asked for in this way. Without an authority it can't be asked for in any other way than the open one. */
export function withAccess(url: string, { render, credentials }: Access): string {
  const marks = [...(render === 'browser' ? ['b'] : []), ...(credentials === '' ? [] : [credentials])]
  return marks.length === 0 ? url : url.replace(/^([a-z][a-z0-9+.-]*:\/\/)(?=[^/])/, `$1~${marks.join('-')}@`)
}

export function accessOf(url: string): Access {
  const mark = user.exec(url)?.[2]
  if (mark === undefined) return openAccess
  const isBrowser = mark.startsWith('~b') && (mark.length === 2 || mark[2] === '-')
  return { render: isBrowser ? 'browser' : 'http', credentials: mark.slice(isBrowser ? 3 : 1) }
}

/** The URL that is asked for and shown. */
export function withoutAccess(url: string): string {
  return url.includes('~') ? url.replace(user, '$1') : url
}

/** Whether pages of one URL may lead to the other: links stay in the same access, or leave it for what everybody may read. */
export const mayLeadTo = (from: string, to: string): boolean =>
  isOpen(to) || user.exec(from)?.[2] === user.exec(to)?.[2]

/** Whether everybody may ask for it in this way. */
export const isOpen = (url: string): boolean => !url.includes('~') || !user.test(url)

const users = /(?<=:\/\/)~(?:b|(?:b-)?[0-9a-f]{24})@/g

/** A text in which no URL says how it is asked for: what leaves the program is shown so. */
export function withoutAccesses(text: string): string {
  return text.includes('://~') ? text.replace(users, '') : text
}
