import { Component, type ReactNode } from 'react'
import { ErrorState } from '../kit/states.tsx'

type Props = { children: ReactNode }

/** A fault in one view leaves the rest of the page usable. A class, since React has no other way. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <ErrorState
        title="This page stumbled"
        error={this.state.error}
        onRetry={() => this.setState({ error: undefined })}
      >
        If it happens again, reload the page.
      </ErrorState>
    )
  }
}
