import type { Version } from '../api/types.ts'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useVersionText } from './use-document.ts'
import { absenceOf } from './version-words.ts'

/** What a reader of the page sees, without its looks. */
export function TextTab({ version }: { version: Version }) {
  const absence = absenceOf(version)
  const query = useVersionText(absence === null ? version.id : null)
  if (absence !== null)
    return (
      <EmptyState icon="cached" title="Nothing to read">
        {absence}
      </EmptyState>
    )
  if (query.error !== null)
    return <ErrorState title="The text can't be shown" error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return <LoadingState label="Reading" />
  if (query.data.trim() === '')
    return (
      <EmptyState icon="cached" title="No text">
        This version has no visible text. Open the page itself instead.
      </EmptyState>
    )
  return <pre className="document-plain">{query.data}</pre>
}
