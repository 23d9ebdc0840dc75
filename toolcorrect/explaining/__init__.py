"""Why a case scores as it does, and why two definitions differ."""
