import { urlOf } from '../api/client.ts'
import { EmptyState } from '../kit/states.tsx'
import { useDiffChoice } from './diff-choice.ts'
import { Picture } from './page-frame.tsx'
import type { VersionChoice } from './version-choice.ts'
import { absenceOf } from './version-words.ts'

/** The name of the first change in the page: the frame opens there. */
const FIRST_CHANGE = '#erace-first-change'
/** Where it is no page, the whole text is shown, word by word. */
const WHOLE_TEXT = { form: 'words', context: 1_000_000 }

export function MergedPage({ id, choice: { from, to } }: { id: string; choice: VersionChoice }) {
  const [{ showsIgnored }] = useDiffChoice()
  if (from === null || to === null)
    return (
      <EmptyState icon="clock" title="One version so far">
        When the page changes, it stands here with the changes marked in it.
      </EmptyState>
    )
  const absence = absenceOf(from) ?? absenceOf(to)
  if (absence !== null)
    return (
      <EmptyState icon="cached" title="Nothing to merge">
        {absence}
      </EmptyState>
    )
  const ignored = showsIgnored ? 'show' : undefined
  const asked = { from: from.n, to: to.n, format: 'page', ...WHOLE_TEXT, ignored }
  return (
    <section className="document-merged" aria-label="Merged">
      <p className="soft">
        Version {to.n}, with what is <ins className="document-added-word">new</ins> since version {from.n}, and what was{' '}
        <del className="document-removed-word">there</del> in its place.
      </p>
      <Picture
        key={`${from.n}-${to.n}`}
        title={`Version ${to.n} with the changes since version ${from.n}`}
        src={urlOf(`/documents/${id}/diff`, asked) + FIRST_CHANGE}
      />
    </section>
  )
}
