import { hash } from 'node:crypto'

/**
 * How a source is accessed: by which program, and with whose credentials. Wherever a source is watched, queued or kept, this is encoded as
 * the user of its URL (`https://~b@example.org/`, `imap://~5f0c…@example.org/INBOX`): a document read with someone's credentials is not the
 * same as the public one, and links within a site inherit the access. It is never sent anywhere.
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

/** Id of an owner's credentials of this name: stable, and different for each owner. */
export function credentialsId(owner: string, name: string): string {
  return name === '' ? '' : hash('sha256', JSON.stringify([owner, name])).slice(0, 24)
}

/** Adds access to a URL that has none. URLs without an authority are returned unchanged: they only have open access. */
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

/** The URL to request and to show. */
export function withoutAccess(url: string): string {
  return url.includes('~') ? url.replace(user, '$1') : url
}

/** Whether a page of one URL may link to the other: links keep the access, or leave it for public documents. */
export const mayLeadTo = (from: string, to: string): boolean =>
  isOpen(to) || user.exec(from)?.[2] === user.exec(to)?.[2]

/** Whether the URL has open access: no browser, no credentials. */
export const isOpen = (url: string): boolean => !url.includes('~') || !user.test(url)

const users = /(?<=:\/\/)~(?:b|(?:b-)?[0-9a-f]{24})@/g

/** Removes the access from all URLs in a text, before it leaves the program. */
export function withoutAccesses(text: string): string {
  return text.includes('://~') ? text.replace(users, '') : text
}
