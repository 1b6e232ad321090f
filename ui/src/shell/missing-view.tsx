import { ButtonLink } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState } from '../kit/states.tsx'

export default function MissingView() {
  return (
    <Page title="Not found">
      <EmptyState
        icon="search"
        title="There is no such page"
        actions={
          <ButtonLink href="/inbox" icon="inbox">
            To the inbox
          </ButtonLink>
        }
      >
        The address may be mistyped, or what stood here was removed.
      </EmptyState>
    </Page>
  )
}
