import { urlOf } from '../api/client.ts'
import { EmptyState, ErrorState } from '../kit/states.tsx'
import { useDiffChoice } from './diff-choice.ts'
import { IgnoredLine } from './ignored-line.tsx'
import { Picture } from './page-frame.tsx'
import { useDiff, WHOLE } from './use-document.ts'
import type { VersionChoice } from './version-choice.ts'
import { absenceOf } from './version-words.ts'

/** The name of the first change in the page: the frame opens there. */
const FIRST_CHANGE = '#erace-first-change'

export function MergedPage({ id, choice: { from, to } }: { id: string; choice: VersionChoice }) {
  const [diffChoice, setDiffChoice] = useDiffChoice()
  const { showsIgnored } = diffChoice
  // What the frame can't tell: what is left out, and why there is nothing to show.
  const diff = useDiff(id, { ...diffChoice, from: from?.n ?? 0, to: to?.n ?? 0 }, from !== null && to !== null)
  if (from === null || to === null)
    return (
      <EmptyState icon="clock" title="One version so far">
        When the page changes, it stands here with the changes marked in it.
      </EmptyState>
    )
  if (diff.error !== null)
    return (
      <ErrorState title="These versions can't be merged" error={diff.error} onRetry={() => void diff.refetch()}>
        {absenceOf(from) ?? absenceOf(to) ?? 'Choose other versions above.'}
      </ErrorState>
    )
  // Where it is no page, the whole text is shown, word by word.
  const asked = { from: from.n, to: to.n, format: 'page', form: 'words', context: WHOLE }
  return (
    <section className="document-merged" aria-label="Merged">
      <p className="soft">
        Version {to.n}, with what is <ins className="document-added-word">new</ins> since version {from.n}, and what was{' '}
        <del className="document-removed-word">there</del> in its place.
      </p>
      <IgnoredLine
        count={diff.data?.ignoring ?? 0}
        showsAll={showsIgnored}
        onChange={(next) => setDiffChoice({ showsIgnored: next })}
      />
      <Picture
        title={`Version ${to.n} with the changes since version ${from.n}`}
        src={urlOf(`/documents/${id}/diff`, { ...asked, ignored: showsIgnored ? 'show' : undefined }) + FIRST_CHANGE}
      />
    </section>
  )
}
