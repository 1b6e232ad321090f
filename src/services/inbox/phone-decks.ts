import { DECK_BYTES, wmlCard, wmlLink, wmlPost, wmlText } from '../../xml/wml.ts'
import { shown } from './inbox-wml.ts'

/** The decks around the inbox, so that a phone is enough to use it. Links are relative, to be short and to keep the session in the URL. */

const NAME_CHARS = 30
const REASON_CHARS = 100

/** `note`: why the last attempt failed, or another message. */
export function signInDeck(note = ''): string {
  const send = `<go href="/wml/sign-in" method="post" accept-charset="utf-8"><postfield name="e" value="$(e)"/><postfield name="p" value="$(p)"/></go>`
  return wmlCard(
    'in',
    'eRACE',
    `<do type="accept" label="Sign in">${send}</do>\n` +
      (note === '' ? '' : `<p><b>${wmlText(note)}</b></p>\n`) +
      `<p>Email<br/><input name="e" title="Email" maxlength="254"/><br/>Password<br/><input name="p" type="password" title="Password" maxlength="1000"/></p>\n` +
      `<p><anchor>Sign in${send}</anchor></p>\n`,
  )
}

export type HomeDeck = {
  unread: number
  starred: number
  profiles: readonly { id: string; name: string; unread: number }[]
  /** Failing channels. */
  failing: readonly { name: string; reason: string }[]
  /** Number of profiles on the previous decks. */
  skip: number
  /** For signing out. */
  token: string
}

/** The start page, with counts by profile: as many profiles as fit, and a link to the rest. */
export function homeDeck({ unread, starred, profiles, failing, skip, token }: HomeDeck): string {
  const [first] = failing
  const trouble =
    first === undefined || skip > 0
      ? ''
      : `<p><b>${failing.length === 1 ? `${named(first.name)} is failing` : `${failing.length} channels are failing`}</b><br/><small>${shown(first.reason, REASON_CHARS)}</small></p>\n`
  const top =
    skip > 0
      ? ''
      : wmlLink(`Unread (${unread})`, 'list') +
        wmlLink('All', 'list?s=all') +
        wmlLink(`Starred (${starred})`, 'list?s=starred')
  const rest = profiles.slice(skip)
  const deckOf = (count: number): string => {
    const rows = rest
      .slice(0, count)
      .map(({ id, name, unread: own }) =>
        wmlLink(`${shown(name, NAME_CHARS) || 'Deleted profile'} (${own})`, `list?p=${encodeURIComponent(id)}`),
      )
    const more = count < rest.length ? wmlLink('More', `home?n=${skip + count}`) : ''
    const back = skip > 0 ? wmlLink('Home', 'home') : ''
    const out = `<p><anchor>Sign out${wmlPost({ href: 'sign-out', fields: { t: token } })}</anchor></p>\n`
    return wmlCard('home', 'eRACE', trouble + top + rows.join('') + more + back + out, true)
  }
  let count = rest.length
  while (count > 1 && Buffer.byteLength(deckOf(count)) > DECK_BYTES) count--
  return deckOf(count)
}

export function noteDeck(note: string): string {
  return wmlCard('note', 'eRACE', `<p>${wmlText(note)}</p>\n${wmlLink('Home', 'home')}`)
}

const named = (name: string): string => shown(name, NAME_CHARS) || 'A channel'
