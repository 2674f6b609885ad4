"""The one judgement behind every decision about a release: what its reader learns from it."""
