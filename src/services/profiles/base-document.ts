import type { Profile, ProfileUrd } from '../../core/profile.ts'
import { profileElement } from '../../xml/profile/profile.ts'
import { urdElement } from '../../xml/profile/urd.ts'
import { writtenUrd } from './urd-values.ts'

/** The profile base as one document, `<base><profiles>…</profiles><urds>…</urds></base>`; null where it would be too large. */
export async function baseDocument(
  profiles: Iterable<Profile> | AsyncIterable<Profile>,
  urds: Iterable<ProfileUrd> | AsyncIterable<ProfileUrd>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Buffer[] = []
  let bytes = 0

  function add(text: string): boolean {
    const piece = Buffer.from(text)
    bytes += piece.length
    pieces.push(piece)
    return bytes <= maxBytes
  }

  add('<base>\n<profiles>\n')
  for await (const profile of profiles) if (!add(profileElement(profile))) return null
  add('</profiles>\n<urds>\n')
  for await (const urd of urds) if (!add(urdElement(writtenUrd(urd)))) return null
  if (!add('</urds>\n</base>\n')) return null
  // A buffer of its own, which may be handed over to a thread.
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
