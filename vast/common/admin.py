from django.contrib import admin

from vast.common.adminsite import ReadOnlyAdmin
from vast.common.models import OutboxMessage


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    list_display = ["id", "kind", "node", "allocation", "created_at", "attempts", "due_at", "done_at"]
    list_filter = ["kind", ("done_at", admin.EmptyFieldListFilter)]
    search_fields = ["=allocation", "=node"]
