from django.apps import AppConfig


class QueuesConfig(AppConfig):
    name = "vast.queues"
